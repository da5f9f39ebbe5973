import type { DuckDBConnection } from "@duckdb/node-api";
import { anyOf, packed, wordsFor } from "./bits.ts";
import { partColumns } from "./callParts.ts";
import { makeBinder, type Row, type SqlFragment, type Store } from "./database.ts";
import type { LabelKey } from "./labels.ts";
import { numberOf } from "./rows.ts";
import type { SharedReads } from "./sharedReads.ts";
import { sqlConstant } from "./sqlConstant.ts";
import { scopeCondition, type EvidenceScope } from "./split.ts";
import { verdictsOf } from "./verdicts.ts";

/** One of many labels. The SQL comes from the predicate compiler, never from text that a user or a rollout supplied. */
export interface LabelOfMany extends LabelKey {
  /** SQL over the columns of the shared reads; NULL where it has no value. */
  readonly where: string;
  /** The place of the condition among the evidence of the shared reads that the turns meet which show the label. */
  readonly evidence: number | null;
}

export interface LabelResult {
  readonly rollouts: number;
  readonly labelled: number;
  /** Rollouts for which the condition has no value. */
  readonly undecided: number;
}

export interface LabelBatch {
  readonly scope: EvidenceScope;
  readonly labels: readonly LabelOfMany[];
  readonly reads: SharedReads;
}

/**
 * Sets many labels on the rollouts of a scope, and removes each from the others, in one transaction: the turns are read
 * once for all conditions, and once more, of the labelled rollouts, for what shows them.
 */
export async function labelAll(store: Store, batch: LabelBatch): Promise<readonly LabelResult[]> {
  const { labels, reads } = batch;
  if (labels.length === 0) return [];
  const verdicts = await verdictsOf(
    store,
    { ...batch, conditions: labels.map(({ where }) => where) },
    reads.carriedColumns,
  );
  const scope = scopeCondition(batch.scope);
  const bind = makeBinder(store.duckdb);
  return store.write(async (connection) => {
    const run = runner(connection, bind);
    const names = labels.map(({ label }) => sqlConstant(label));
    await run({
      sql: `DELETE FROM labels WHERE label IN (${names.map(({ sql }) => sql).join(", ")})
              AND rid IN (SELECT r.rid FROM rollouts r WHERE ${scope.sql})`,
      params: [...names.flatMap(({ params }) => params), ...scope.params],
    });
    await run({
      sql: `CREATE TEMP TABLE verdicts AS ${packedVerdicts(verdicts.sql, batch)}`,
      params: verdicts.params,
    });
    const counts = await run({ sql: countsOf(labels.length, scope.sql), params: scope.params });
    await run(insertion(batch));
    await run({ sql: "DROP TABLE verdicts", params: [] });
    return labels.map((_, i) => ({
      rollouts: numberOf(counts, "rollouts"),
      labelled: numberOf(counts, `n${i}`),
      undecided: numberOf(counts, `u${i}`),
    }));
  });
}

const fewLabels = 3;

/**
 * A row per rollout with a bit per label, in words: `held`, where its condition holds, and `open`, where it has no value. What
 * a condition denies is not looked at again, so that the rows of a few conditions are kept only where one of them does not. Of
 * many, nearly every rollout has one that holds or has no value, and sorting out would try them twice.
 */
function packedVerdicts(verdicts: string, { labels, reads }: LabelBatch): string {
  const all = labels.map((_, i) => `v${i}`);
  const columns = [
    "rid",
    ...reads.carriedColumns.map((column) => column.slice(column.indexOf(".") + 1)),
    ...packed(all).map((sql, word) => `${sql} AS held${word}`),
    ...packed(all.map((v) => `${v} IS NULL`)).map((sql, word) => `${sql} AS open${word}`),
  ];
  const kept = labels.length > fewLabels ? "" : `WHERE ${all.map((v) => `${v} IS NOT FALSE`).join(" OR ")}`;
  return `SELECT ${columns.join(", ")} FROM (${verdicts}) ${kept}`;
}

/** Rollouts of the scope and, per label, those that carry it and those for which it has no value. */
function countsOf(labels: number, scope: string): string {
  const words = wordsFor(labels).flatMap((word) => [`held${word}`, `open${word}`]);
  const counts = Array.from({ length: labels }, (_, i) =>
    (["n", "u"] as const).map(
      (name) =>
        `coalesce(sum(n) FILTER (${anyOf(name === "n" ? "held" : "open", [i])}), 0)::BIGINT AS ${name}${i}`,
    ),
  ).flat();
  return `SELECT (SELECT count(*) FROM rollouts r WHERE ${scope}) AS rollouts, ${counts.join(", ")}
          FROM (SELECT ${words.join(", ")}, count(*) AS n FROM verdicts GROUP BY ${words.join(", ")})`;
}

type Run = (fragment: SqlFragment) => Promise<Row>;

function runner(connection: DuckDBConnection, bind: ReturnType<typeof makeBinder>): Run {
  return async ({ sql, params }) => {
    const { values, types } = bind(params);
    return (await connection.runAndReadAll(sql, values, types)).getRowObjectsJS()[0] ?? {};
  };
}

function insertion({ labels, reads }: LabelBatch): SqlFragment {
  const shown = labels.flatMap(({ evidence }, i) => (evidence === null ? [] : [{ evidence, i }]));
  const rows = labels.map(({ evidence }, i) => {
    const [turns, from] =
      evidence === null ? ["[]::BIGINT[]", "verdicts"] : [`coalesce(e${evidence}, []::BIGINT[])`, "shown"];
    return `SELECT rid, ?, ?, ${turns} FROM ${from} WHERE ${anyOf("held", [i])}`;
  });
  return {
    sql: `INSERT INTO labels ${shown.length === 0 ? "" : `WITH shown AS (${shownTurns(shown, reads)})`} ${rows.join(" UNION ALL ")}`,
    params: labels.flatMap(({ label, revision }) => [label, revision]),
  };
}

/** One row per rollout with a label that turns show, with a list of turns per condition on them. */
function shownTurns(
  shown: readonly { readonly evidence: number; readonly i: number }[],
  { evidence }: SharedReads,
): string {
  const some = anyOf(
    "v.held",
    shown.map(({ i }) => i),
  );
  const labelsOf = (place: number): readonly number[] =>
    shown.filter((label) => label.evidence === place).map(({ i }) => i);
  const words = evidence.words((place) => [anyOf("t.held", labelsOf(place))]);
  const places = Array.from({ length: evidence.size }, (_, place) => place);
  const lists = places.map((place) => `list_sort(list(idx) FILTER (${anyOf("b", [place])})) AS e${place}`);
  const turns = `SELECT ${["v.* EXCLUDE (rid)", "t.*", ...partColumns("t", evidence.parts)].join(", ")}
                 FROM verdicts v JOIN turns t ON t.rid = v.rid WHERE ${some}`;
  return `SELECT v.*, s.* EXCLUDE (rid) FROM (SELECT * FROM verdicts v WHERE ${some}) v
          LEFT JOIN (SELECT rid, ${lists.join(", ")}
                     FROM (SELECT t.rid, t.idx, ${words.map((sql, word) => `${sql} AS b${word}`).join(", ")} FROM (${turns}) t)
                     GROUP BY rid) s ON s.rid = v.rid`;
}
