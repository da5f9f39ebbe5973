import { HarnessError } from "../base/errors.ts";
import { makeBinder, type Row, type SqlFragment, type Store } from "./database.ts";
import { derivedIn, ensureDerived, joinDerived } from "./derived.ts";
import { numberOf, stringOf } from "./rows.ts";
import { sqlConstant } from "./sqlConstant.ts";
import { scopeCondition, type EvidenceScope } from "./split.ts";
import { TableBuffer } from "./tableBuffer.ts";

/** A label and the revision of the diagnostic that sets it: a hash, so that an edited diagnostic labels anew. */
export interface LabelKey {
  readonly label: string;
  readonly revision: string;
}

export interface LabelQuery extends LabelKey {
  readonly scope: EvidenceScope;
  /** SQL over `r` (rollouts) and `f` (features); where it is NULL the rollout is neither labelled nor clear. */
  readonly where: SqlFragment;
  /** SQL over `t` (turns), `r` and `f`; the turns that show the label. */
  readonly evidence?: SqlFragment;
}

export interface LabelResult {
  readonly rollouts: number;
  readonly labelled: number;
  /** Rollouts for which the predicate has no value. */
  readonly undecided: number;
}

/**
 * Sets a label on every rollout of the scope where the predicate holds, and removes it from the others, in one
 * transaction. The fragments come from the predicate compiler, never from text that a user or a rollout supplied.
 */
export async function labelRollouts(store: Store, query: LabelQuery): Promise<LabelResult> {
  const { label, where, evidence } = query;
  const scope = scopeCondition(query.scope);
  for (const table of derivedIn(`${where.sql} ${evidence?.sql ?? ""}`)) await ensureDerived(store, table);
  const bind = makeBinder(store.duckdb);
  return store.write(async (connection) => {
    const run: Run = async ({ sql, params }) => {
      const { values, types } = bind(params);
      return (await connection.runAndReadAll(sql, values, types)).getRowObjectsJS()[0] ?? {};
    };
    const name = sqlConstant(label);
    await run({
      sql: `DELETE FROM labels WHERE label = ${name.sql} AND rid IN (SELECT r.rid FROM rollouts r WHERE ${scope.sql})`,
      params: [...name.params, ...scope.params],
    });
    const readsTurns = /\bselect\b/i.test(`${where.sql} ${evidence?.sql ?? ""}`);
    const row = await (readsTurns ? labelInTwoSteps : labelInOne)(run, query, scope);
    return {
      rollouts: numberOf(row, "rollouts"),
      labelled: numberOf(row, "labelled"),
      undecided: numberOf(row, "undecided"),
    };
  });
}

type Run = (fragment: SqlFragment) => Promise<Row>;

/** For a predicate over scalars: it is cheaper to evaluate it twice, for the labels and for the counts, than to keep it. */
async function labelInOne(run: Run, query: LabelQuery, scope: SqlFragment): Promise<Row> {
  const { where, evidence } = query;
  const [label, revision] = [sqlConstant(query.label), sqlConstant(query.revision)];
  const key = `${label.sql}, ${revision.sql}`;
  const keyParams = [...label.params, ...revision.params];
  const rollouts = `rollouts r ${joins(`${where.sql} ${evidence?.sql ?? ""}`, "r.rid")}`;
  const condition = { sql: `${scope.sql} AND (${where.sql})`, params: [...scope.params, ...where.params] };
  await run(
    evidence === undefined
      ? {
          sql: `INSERT INTO labels SELECT r.rid, ${key}, []::BIGINT[] FROM ${rollouts} WHERE ${condition.sql}`,
          params: [...keyParams, ...condition.params],
        }
      : {
          sql: `INSERT INTO labels
                SELECT r.rid, ${key}, coalesce(list(t.idx ORDER BY t.idx) FILTER (t.idx IS NOT NULL), [])
                FROM ${rollouts} LEFT JOIN turns t ON t.rid = r.rid AND (${evidence.sql})
                WHERE ${condition.sql} GROUP BY r.rid`,
          params: [...keyParams, ...evidence.params, ...condition.params],
        },
  );
  return run({
    sql: `SELECT count(*) AS rollouts, count(*) FILTER (verdict) AS labelled,
                 count(*) FILTER (verdict IS NULL) AS undecided
          FROM (SELECT (${where.sql}) AS verdict FROM ${rollouts} WHERE ${scope.sql})`,
    params: [...where.params, ...scope.params],
  });
}

/** For a predicate that reads the turns: it is evaluated once, and only what it does not deny is kept. */
async function labelInTwoSteps(run: Run, query: LabelQuery, scope: SqlFragment): Promise<Row> {
  const { label, revision, where, evidence } = query;
  await run({
    sql: `CREATE TEMP TABLE verdicts AS SELECT * FROM (
            SELECT r.rid, (${where.sql}) AS verdict
            FROM rollouts r ${joins(where.sql, "r.rid")} WHERE ${scope.sql})
          WHERE verdict IS NOT false`,
    params: [...where.params, ...scope.params],
  });
  await run({
    sql: `INSERT INTO labels SELECT v.rid, ?, ?, ${evidence === undefined ? "[]::BIGINT[]" : "coalesce(e.turns, []::BIGINT[])"}
          FROM verdicts v ${evidence === undefined ? "" : `LEFT JOIN (${shownBy(evidence)}) e ON e.rid = v.rid`}
          WHERE v.verdict`,
    params: [label, revision, ...(evidence?.params ?? [])],
  });
  const row = await run({
    sql: `SELECT (SELECT count(*) FROM rollouts r WHERE ${scope.sql}) AS rollouts,
                 count(*) FILTER (verdict) AS labelled, count(*) FILTER (verdict IS NULL) AS undecided
          FROM verdicts`,
    params: scope.params,
  });
  await run({ sql: "DROP TABLE verdicts", params: [] });
  return row;
}

const joins = (sql: string, rid: string): string =>
  derivedIn(sql)
    .map((table) => joinDerived(table, rid))
    .join(" ");

/** Whether a fragment reads a table by its alias. Literals travel as parameters, so its text holds only names. */
function mentions(fragment: SqlFragment, alias: string): boolean {
  return new RegExp(`\\b${alias}\\.`).test(fragment.sql);
}

function shownBy(evidence: SqlFragment): string {
  return `SELECT v.rid, list(t.idx ORDER BY t.idx) AS turns
          FROM (SELECT rid FROM verdicts WHERE verdict) v
          ${mentions(evidence, "r") ? "JOIN rollouts r ON r.rid = v.rid" : ""}
          ${joins(evidence.sql, "v.rid")}
          JOIN turns t ON t.rid = v.rid WHERE ${evidence.sql} GROUP BY v.rid`;
}

export interface WrittenLabel {
  readonly run: string;
  readonly id: string;
  readonly turns: readonly number[];
}

/**
 * Stores labels that were computed outside the database (an analyzer, a judge), replacing what this label had on the
 * same rollouts.
 * @throws HarnessError notFound when a rollout is not in the archive; nothing is written then
 */
export async function writeLabels(
  store: Store,
  key: LabelKey & { readonly labels: readonly WrittenLabel[] },
): Promise<number> {
  const bind = makeBinder(store.duckdb);
  if (key.labels.length === 0) return 0;
  const table = await TableBuffer.open(store, "labels");
  return store.write(async (connection) => {
    const { values, types } = bind([key.labels.map((l) => l.run), key.labels.map((l) => l.id)]);
    const found = await connection.runAndReadAll(
      `SELECT r.rid, r.run, r.id FROM rollouts r
       JOIN (SELECT DISTINCT run, id FROM (SELECT unnest(?) AS run, unnest(?) AS id)) w USING (run, id)`,
      values,
      types,
    );
    const rids = new Map(
      found
        .getRowObjectsJS()
        .map((row) => [rolloutKey(stringOf(row, "run"), stringOf(row, "id")), row["rid"]]),
    );
    const byRid = new Map<bigint, readonly number[]>();
    for (const { run, id, turns } of key.labels) {
      const rid = rids.get(rolloutKey(run, id));
      if (typeof rid !== "bigint")
        throw new HarnessError("notFound", `There is no rollout ${run}/${id} in the archive to label.`);
      byRid.set(rid, turns);
    }
    const old = bind([key.label, [...byRid.keys()]]);
    await connection.run(
      "DELETE FROM labels WHERE label = ? AND rid IN (SELECT unnest(?))",
      old.values,
      old.types,
    );
    for (const [rid, turns] of byRid)
      table.add([rid, key.label, key.revision, store.duckdb.listValue(turns.map(BigInt))]);
    await table.appendTo(connection);
    return byRid.size;
  });
}

const rolloutKey = (run: string, id: string): string => `${run}\n${id}`;

export interface LabelRate {
  readonly label: string;
  readonly revision: string;
  readonly labelled: number;
  readonly rollouts: number;
  readonly rate: number;
}

/** How many rollouts of the scope carry each label; labels that nothing carries are absent. */
export async function labelRates(store: Store, options: EvidenceScope): Promise<LabelRate[]> {
  const scope = scopeCondition(options);
  const rows = await store.query({
    sql: `WITH scoped AS (SELECT r.rid FROM rollouts r WHERE ${scope.sql})
          SELECT l.label, l.revision, count(*) AS labelled, (SELECT count(*) FROM scoped) AS rollouts
          FROM labels l SEMI JOIN scoped USING (rid) GROUP BY l.label, l.revision ORDER BY l.label, l.revision`,
    params: scope.params,
  });
  return rows.map((row) => {
    const labelled = numberOf(row, "labelled");
    const rollouts = numberOf(row, "rollouts");
    return {
      label: stringOf(row, "label"),
      revision: stringOf(row, "revision"),
      labelled,
      rollouts,
      rate: labelled / rollouts,
    };
  });
}
