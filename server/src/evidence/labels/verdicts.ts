import { anyOf, wordsFor } from "./bits.ts";
import { withAnswers } from "../contract/answeredCalls.ts";
import { withParts } from "../contract/callParts.ts";
import type { Store } from "../store/database.ts";
import type { SqlFragment } from "../store/sql.ts";
import { ensureDerived } from "../store/derived.ts";
import { reasonColumns, type SharedReads } from "./sharedReads.ts";
import { partsOf, turnWords } from "./turnConditions.ts";
import { scopeCondition, type EvidenceScope } from "../store/split.ts";

/** Conditions that are tried on the rollouts of a scope together. */
export interface Conditions {
  readonly scope: EvidenceScope;
  /** Per condition SQL over the columns of `reads`, of the predicate compiler, that has to hold all together. */
  readonly conditions: readonly (readonly string[])[];
  readonly reads: SharedReads;
}

/**
 * A query of one row per rollout of the scope, with `rid`, `columns` and `v0`, `v1` … for the conditions, which reads the turns
 * once for all of them; without the rows that every condition denies when that is asked. NULL is a condition without a value. The
 * derived tables that it reads are filled now.
 */
export async function verdictsOf(
  store: Store,
  { scope, conditions, reads }: Conditions,
  columns: readonly string[] = [],
  options: { readonly withoutDenied: boolean } = { withoutDenied: false },
): Promise<SqlFragment> {
  for (const { table } of reads.derived) await ensureDerived(store, table);
  const where = scopeCondition(scope);
  const joined = [
    rolloutValues(reads, where.sql),
    ...reads.derived.map(
      ({ table, alias }) =>
        `JOIN (SELECT ${[`${alias}.rid`, ...reads.columns(alias)].join(", ")} FROM ${table} ${alias}) ${alias} ON ${alias}.rid = r.rid`,
    ),
  ];
  const verdicts = conditions.map((all, i) => `(${all.join(" AND ")}) AS v${i}`);
  // In parts, so that the tables of a single condition are each cut down before they are joined.
  const kept = conditions.map((all) => `(${all.map((sql) => `(${sql}) IS NOT FALSE`).join(" AND ")})`);
  const filter = options.withoutDenied ? ` WHERE ${kept.join(" OR ")}` : "";
  const select = `SELECT ${["r.rid", ...columns, ...verdicts].join(", ")} FROM ${joined.join(" ")}`;
  const params = reads.reasonValues.length === 0 ? where.params : [...where.params, ...where.params];
  if (reads.turns.all.length === 0) return { sql: `${select}${filter}`, params };
  return {
    sql: `WITH ${turnTables(reads, where.sql).join(", ")} ${select} LEFT JOIN q ON q.rid = r.rid ${reads.answering.map(({ name }) => `LEFT JOIN ${name} ON ${name}.rid = r.rid`).join(" ")}${filter}`,
    params: [...where.params, ...params],
  };
}

/** What a turn that may be one is kept with, so that its text is not read again. */
const turnColumns = ["idx", "role", "text", "tool", "args", "ok", "tokens", "ms"] as const;
const turnStruct = `struct_pack(${turnColumns.map((name) => `"${name}" := "${name}"`).join(", ")})`;

/** The rollouts of a scope as `r`, with the values that are read of their table. */
function rolloutValues(reads: SharedReads, where: string): string {
  const columns = ["r.rid", ...reads.columns("r")];
  const values = reads.reasonValues;
  if (values.length === 0) return `(SELECT ${columns.join(", ")} FROM rollouts r WHERE ${where}) r`;
  const names = reasonColumns.map((name) => `r.${name}`);
  const same = reasonColumns.map((name) => `d.${name} IS NOT DISTINCT FROM r.${name}`);
  return `(SELECT ${[...columns, `d.* EXCLUDE (${reasonColumns.join(", ")})`].join(", ")} FROM rollouts r
           JOIN (SELECT ${[...names, ...values].join(", ")} FROM (SELECT DISTINCT ${names.join(", ")} FROM rollouts r WHERE ${where}) r) d
           ON ${same.join(" AND ")} WHERE ${where}) r`;
}

/** What is asked of turns, as tables with a row per rollout. */
function turnTables(reads: SharedReads, where: string): readonly string[] {
  const { answering } = reads;
  const asked = turnsAsked(reads, where);
  if (answering.length === 0) return [`q AS (${asked})`];
  return [
    `q AS MATERIALIZED (${asked})`,
    ...answering.map(({ place, where: met, name }) => {
      const all = `SELECT * FROM turns WHERE rid IN (SELECT rid FROM q WHERE len(l${place}) > 0)`;
      const listed = `SELECT rid, unnest(l${place}) AS turn FROM q WHERE rid IS NOT NULL`;
      return `${name} AS (SELECT x.rid, count(*) AS n FROM (${withAnswers(`SELECT rid, turn.* FROM (${listed})`, all)}) x
                WHERE ${met.join(" AND ")} GROUP BY x.rid)`;
    }),
  ];
}

/** The rollouts of a scope of which a turn meets a condition on turns. */
function turnsAsked({ turns, counts, answering }: SharedReads, where: string): string {
  const words = wordsFor(turns.all.length);
  const bits = turnWords(turns.all).map((sql, word) => `${sql} AS b${word}`);
  const columns = [
    ...words.map((word) => `bit_or(b${word}) AS b${word}`),
    ...counts.map((place) => `count(*) FILTER (${anyOf("b", [place])}) AS n${place}`),
    ...[...new Set(answering.map(({ place }) => place))].map(
      (place) => `list(${turnStruct}) FILTER (${anyOf("b", [place])}) AS l${place}`,
    ),
  ];
  const source = withParts(
    `SELECT * FROM turns x WHERE x.rid IN (SELECT r.rid FROM rollouts r WHERE ${where})`,
    partsOf(turns.all),
  );
  // Most turns meet nothing. Those together are one group, whose rollout is NULL and matches none; a WHERE would be pushed
  // down to the texts and try every condition twice.
  const rid = `(CASE WHEN ${words.map((word) => `b${word} <> 0`).join(" OR ")} THEN rid END)`;
  const kept = answering.length === 0 ? ["x.rid"] : ["x.rid", ...turnColumns.map((name) => `x."${name}"`)];
  return `SELECT ${rid} AS rid, ${columns.join(", ")} FROM (SELECT ${[...kept, ...bits].join(", ")} FROM (${source}) x)
          GROUP BY ${rid}`;
}
