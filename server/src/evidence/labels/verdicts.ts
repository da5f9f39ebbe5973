import { anyOf, wordsFor } from "./bits.ts";
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
    sql: `WITH q AS (${turnsAsked(reads, where.sql)}) ${select} LEFT JOIN q ON q.rid = r.rid${filter}`,
    params: [...where.params, ...params],
  };
}

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

/** The rollouts of a scope of which a turn meets a condition on turns. */
function turnsAsked({ turns, counts }: SharedReads, where: string): string {
  const words = wordsFor(turns.all.length);
  const bits = turnWords(turns.all).map((sql, word) => `${sql} AS b${word}`);
  const columns = [
    ...words.map((word) => `bit_or(b${word}) AS b${word}`),
    ...counts.map((place) => `count(*) FILTER (${anyOf("b", [place])}) AS n${place}`),
  ];
  const source = withParts(
    `SELECT * FROM turns x WHERE x.rid IN (SELECT r.rid FROM rollouts r WHERE ${where})`,
    partsOf(turns.all),
  );
  // Most turns meet nothing. Those together are one group, whose rollout is NULL and matches none; a WHERE would be pushed
  // down to the texts and try every condition twice.
  const rid = `(CASE WHEN ${words.map((word) => `b${word} <> 0`).join(" OR ")} THEN rid END)`;
  return `SELECT ${rid} AS rid, ${columns.join(", ")} FROM (SELECT x.rid, ${bits.join(", ")} FROM (${source}) x)
          GROUP BY ${rid}`;
}
