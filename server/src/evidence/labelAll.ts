import type { DuckDBConnection } from "@duckdb/node-api";
import { makeBinder, type Row, type SqlFragment, type Store } from "./database.ts";
import { derivedIn, ensureDerived, joinDerived } from "./derived.ts";
import type { LabelKey } from "./labels.ts";
import { numberOf } from "./rows.ts";
import { sqlConstant } from "./sqlConstant.ts";
import { scopeCondition, type EvidenceScope } from "./split.ts";
import { withParts } from "./turnParts.ts";
import { verdictsOf } from "./verdicts.ts";

/** One of many labels. The SQL comes from the predicate compiler, never from text that a user or a rollout supplied. */
export interface LabelOfMany extends LabelKey {
  /** SQL over `r`, the derived tables and the shared columns of `q`; NULL where it has no value. */
  readonly where: string;
  /** SQL over `t` (turns), `r` and the derived tables; the turns that show the label. */
  readonly evidence: string | null;
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
  /** Aggregates over `turns x` that the conditions read as columns of `q`. */
  readonly turnColumns: readonly string[];
}

/**
 * Sets many labels on the rollouts of a scope, and removes each from the others, in one transaction: the turns are read
 * once for all conditions, and once more, of the labelled rollouts, for what shows them.
 */
export async function labelAll(store: Store, batch: LabelBatch): Promise<readonly LabelResult[]> {
  const { labels } = batch;
  if (labels.length === 0) return [];
  const verdicts = await verdictsOf(store, { ...batch, conditions: labels.map(({ where }) => where) }, [
    "r.rid",
  ]);
  const shown = labels.flatMap((label, i) =>
    label.evidence === null ? [] : [{ evidence: label.evidence, i }],
  );
  const evidence = shown.map((s) => s.evidence).join(" ");
  for (const table of derivedIn(evidence)) await ensureDerived(store, table);
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
      sql: `CREATE TEMP TABLE verdicts AS ${kept(verdicts.sql, labels)}`,
      params: verdicts.params,
    });
    const counts = await run({
      sql: `SELECT (SELECT count(*) FROM rollouts r WHERE ${scope.sql}) AS rollouts, ${labels.map((_, i) => `count(*) FILTER (v${i}) AS n${i}, count(*) FILTER (v${i} IS NULL) AS u${i}`).join(", ")} FROM verdicts`,
      params: scope.params,
    });
    if (shown.length > 0) await run({ sql: evidenceTurns(shown), params: [] });
    await run({ sql: insert(labels), params: labels.flatMap(({ label, revision }) => [label, revision]) });
    await run({ sql: "DROP TABLE verdicts", params: [] });
    if (shown.length > 0) await run({ sql: "DROP TABLE shown", params: [] });
    return labels.map((_, i) => ({
      rollouts: numberOf(counts, "rollouts"),
      labelled: numberOf(counts, `n${i}`),
      undecided: numberOf(counts, `u${i}`),
    }));
  });
}

const fewLabels = 3;

/**
 * What a condition denies is not looked at again, so that the rows of a few conditions are kept only where one of them does
 * not. Of many, nearly every rollout has one that holds or has no value, and sorting out would try them twice.
 */
function kept(verdicts: string, labels: readonly LabelOfMany[]): string {
  if (labels.length > fewLabels) return verdicts;
  return `SELECT * FROM (${verdicts}) WHERE ${labels.map((_, i) => `v${i} IS NOT FALSE`).join(" OR ")}`;
}

type Run = (fragment: SqlFragment) => Promise<Row>;

function runner(connection: DuckDBConnection, bind: ReturnType<typeof makeBinder>): Run {
  return async ({ sql, params }) => {
    const { values, types } = bind(params);
    return (await connection.runAndReadAll(sql, values, types)).getRowObjectsJS()[0] ?? {};
  };
}

/** One row per rollout with a label that turns show, with a column per such label. */
function evidenceTurns(shown: readonly { readonly evidence: string; readonly i: number }[]): string {
  const all = shown.map(({ evidence }) => evidence).join(" ");
  const joins = [
    ...(/\br\./.test(all) ? ["JOIN rollouts r ON r.rid = v.rid"] : []),
    ...derivedIn(all).map((table) => joinDerived(table, "v.rid")),
  ];
  const some = shown.map(({ i }) => `v${i}`).join(" OR ");
  const turns = withParts(
    "t",
    shown.map(({ evidence }) => evidence),
    `(SELECT * FROM turns WHERE rid IN (SELECT rid FROM verdicts WHERE ${some}))`,
  );
  const lists = shown.map(
    ({ i }, at) =>
      `list(t.idx ORDER BY t.idx) FILTER (CASE WHEN v.v${i} THEN (${turns.expressions[at] ?? ""}) END) AS e${i}`,
  );
  return `CREATE TEMP TABLE shown AS
          SELECT v.rid, ${lists.join(", ")} FROM (SELECT * FROM verdicts WHERE ${some}) v
          ${joins.join(" ")} JOIN ${turns.from} ON t.rid = v.rid GROUP BY v.rid`;
}

function insert(labels: readonly LabelOfMany[]): string {
  const parts = labels.map(({ evidence }, i) =>
    evidence === null
      ? `SELECT rid, ?, ?, []::BIGINT[] FROM verdicts WHERE v${i}`
      : `SELECT v.rid, ?, ?, coalesce(s.e${i}, []::BIGINT[]) FROM verdicts v LEFT JOIN shown s ON s.rid = v.rid WHERE v.v${i}`,
  );
  return `INSERT INTO labels ${parts.join(" UNION ALL ")}`;
}
