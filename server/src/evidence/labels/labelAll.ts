import type { DuckDBConnection, DuckDBMaterializedResult } from "@duckdb/node-api";
import { anyOf, bitOf, wordOf, wordsFor } from "./bits.ts";
import { withAnswers } from "../contract/answeredCalls.ts";
import { withParts, type CallPart } from "../contract/callParts.ts";
import type { Store } from "../store/database.ts";
import { ensureDerived } from "../store/derived.ts";
import { makeBinder, type Row, type SqlFragment } from "../store/sql.ts";
import { labelKeys, type LabelKey, type StoredKeys } from "./labelKeys.ts";
import { numberOf, stringOf } from "../store/rows.ts";
import type { SharedReads } from "./sharedReads.ts";
import { scopeCondition, versionsOf, type EvidenceScope } from "../store/split.ts";
import { partsOf, turnWords, wordsOnce } from "./turnConditions.ts";
import { Standing } from "./standing.ts";
import { verdictsOf } from "./verdicts.ts";

/** One of many labels. The SQL comes from the predicate compiler, never from text that a user or a rollout supplied. */
export interface LabelOfMany extends LabelKey {
  /** SQL over the columns of the shared reads that has to hold all together; NULL where it has no value. */
  readonly where: readonly string[];
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

const standing = new Standing<LabelResult>();

/**
 * Sets many labels on the rollouts of a scope, and removes each from the others, in one transaction: the turns are read
 * once for all conditions, and once more, of the labelled rollouts, for what shows them. Labels that stand already are left.
 * Of several versions it is remembered of each what came of it.
 */
export async function labelAll(store: Store, batch: LabelBatch): Promise<readonly LabelResult[]> {
  const { labels, reads, scope: within } = batch;
  if (labels.length === 0) return [];
  const versions = versionsOf(within);
  const asked = [labels, reads.gathered];
  const known = standing.find(store, placeOf(within), asked, versions);
  if (known !== undefined) return known;
  const verdicts = await verdictsOf(
    store,
    { ...batch, conditions: labels.map(({ where }) => where) },
    { withoutDenied: labels.length <= fewLabels, inWords: true },
  );
  for (const table of reads.derivedOfEvidence) await ensureDerived(store, table);
  const scope = scopeCondition(within);
  const bind = makeBinder(store.duckdb);
  let commits = -1;
  const prepare = async (connection: DuckDBConnection): Promise<Prepared> => {
    const { run, rows } = runner(connection, bind);
    await run({
      sql: `CREATE TEMP TABLE verdicts AS ${verdicts.sql}`,
      params: verdicts.params,
    });
    const counts = await rows(countsOf(labels, scope));
    const apart = within.versions === undefined ? [] : await rows(countsByVersion(labels, scope));
    const carried = labels
      .map((label, i) => ({ ...label, i }))
      .filter(({ i }) => numberOf(counts[i] ?? {}, "labelled") > 0);
    const places = [...new Set(carried.flatMap(({ evidence }) => (evidence === null ? [] : [evidence])))];
    // With one label its turns are found where they are written.
    if (carried.length > 1 && places.length > 0)
      await run({ sql: `CREATE TEMP TABLE shown AS ${shownTurns(carried, places, reads)}`, params: [] });
    return { counts, apart, carried, places };
  };
  const work = async (
    connection: DuckDBConnection,
    { counts, apart, carried, places }: Prepared,
  ): Promise<{ readonly all: readonly LabelResult[]; readonly each: ReadonlyMap<string, LabelResult[]> }> => {
    commits = store.commits();
    const { run } = runner(connection, bind);
    const keys = await labelKeys(store, connection, labels);
    await run({
      sql: `DELETE FROM labelled WHERE key IN (${keys.all.join(", ")})
              AND rid IN (SELECT r.rid FROM rollouts r WHERE ${scope.sql})`,
      params: scope.params,
    });
    if (carried.length > 0) await insert(run, { ...batch, carried, places, keys });
    await run({ sql: "DROP TABLE verdicts", params: [] });
    const each = new Map<string, LabelResult[]>();
    for (const row of apart)
      each.set(stringOf(row, "version"), [...(each.get(stringOf(row, "version")) ?? []), resultOf(row)]);
    return { all: counts.map(resultOf), each };
  };
  const { all, each } = await store.writePrepared(prepare, work, versions);
  // Unless another write came in between, which may have changed them.
  if (store.commits() !== commits + 1) return all;
  standing.keep(store, placeOf(within), { asked, versions, results: all });
  for (const [version, results] of each) {
    const { versions: _, ...rest } = within;
    standing.keep(store, placeOf({ ...rest, version }), { asked, versions: [version], results });
  }
  return all;
}

function placeOf(scope: EvidenceScope): string {
  const { sql, params } = scopeCondition(scope);
  return JSON.stringify([sql, params]);
}

const resultOf = (row: Row): LabelResult => ({
  rollouts: numberOf(row, "rollouts"),
  labelled: numberOf(row, "labelled"),
  undecided: numberOf(row, "undecided"),
});

/** What is known of the rollouts before anything is written; the verdicts and the turns that show labels are in tables. */
interface Prepared {
  /** A row per label. */
  readonly counts: readonly Row[];
  /** A row per version and label, where the scope names several versions. */
  readonly apart: readonly Row[];
  /** The labels that any rollout carries. */
  readonly carried: readonly Placed[];
  /** Of the evidence whose turns are stored. */
  readonly places: readonly number[];
}

/**
 * What a condition denies is not looked at again, so that the rows of a few conditions are kept only where one of them does
 * not. Of many, nearly every rollout has one that holds or has no value, and sorting out would try them twice.
 */
const fewLabels = 3;

/** A label with its place among those of the batch. */
type Placed = LabelOfMany & { readonly i: number };

/** A row per label: its place `i`, and the bit that it has in a word. */
function labelRows(places: readonly number[]): string {
  const rows = places.map((i) => `(${i}, ${wordOf(i)}, ${bitOf(i)}::BIGINT)`);
  return `(VALUES ${rows.join(", ")}) l(i, word, bit)`;
}

/** Whether the bit of a row `l` is set in the words of columns that begin with `prefix`. */
function hasBit(prefix: string, bits: number): string {
  const words = wordsFor(bits);
  const word =
    words.length === 1
      ? `${prefix}0`
      : `(CASE l.word ${words.map((w) => `WHEN ${w} THEN ${prefix}${w}`).join(" ")} END)`;
  return `(${word} & l.bit) <> 0`;
}

const wordColumns = (prefix: string, bits: number): string =>
  wordsFor(bits)
    .map((word) => `${prefix}${word}`)
    .join(", ");

/** A row per label, by its number: the rollouts of the scope, those that carry it, and those for which it has no value. */
function countsOf(labels: readonly LabelOfMany[], scope: SqlFragment): SqlFragment {
  const all = `(SELECT count(*) FROM rollouts r WHERE ${scope.sql}) AS rollouts`;
  if (labels.length === 1)
    return {
      sql: `SELECT ${all}, count(*) FILTER (held0 <> 0) AS labelled, count(*) FILTER (open0 <> 0) AS undecided FROM verdicts`,
      params: scope.params,
    };
  // Rollouts differ in few ways, so that there is little to sum up.
  const words = `${wordColumns("held", labels.length)}, ${wordColumns("open", labels.length)}`;
  return {
    sql: `SELECT l.i, ${all},
                 coalesce(sum(n) FILTER (${hasBit("held", labels.length)}), 0)::BIGINT AS labelled,
                 coalesce(sum(n) FILTER (${hasBit("open", labels.length)}), 0)::BIGINT AS undecided
          FROM ${labelRows([...labels.keys()])} LEFT JOIN (SELECT ${words}, count(*) AS n FROM verdicts GROUP BY ${words}) ON TRUE
          GROUP BY l.i ORDER BY l.i`,
    params: scope.params,
  };
}

/** A row per version and label, by the number of the label, as `countsOf` has them of all. */
function countsByVersion(labels: readonly LabelOfMany[], scope: SqlFragment): SqlFragment {
  const words = `${wordColumns("held", labels.length)}, ${wordColumns("open", labels.length)}`;
  return {
    sql: `WITH totals AS (SELECT r.version, count(*) AS rollouts FROM rollouts r WHERE ${scope.sql} GROUP BY r.version),
               found AS (SELECT r.version, ${words}, count(*) AS n FROM verdicts JOIN rollouts r USING (rid) GROUP BY r.version, ${words})
          SELECT t.version, l.i, any_value(t.rollouts) AS rollouts,
                 coalesce(sum(n) FILTER (${hasBit("held", labels.length)}), 0)::BIGINT AS labelled,
                 coalesce(sum(n) FILTER (${hasBit("open", labels.length)}), 0)::BIGINT AS undecided
          FROM totals t CROSS JOIN ${labelRows([...labels.keys()])} LEFT JOIN found ON found.version = t.version
          GROUP BY t.version, l.i ORDER BY t.version, l.i`,
    params: scope.params,
  };
}

interface Runner {
  readonly rows: (fragment: SqlFragment) => Promise<readonly Row[]>;
  /** Where nothing is asked, which is cheaper. */
  readonly run: (fragment: SqlFragment) => Promise<void>;
}

function runner(connection: DuckDBConnection, bind: ReturnType<typeof makeBinder>): Runner {
  const start = ({ sql, params }: SqlFragment): Promise<DuckDBMaterializedResult> => {
    const { values, types } = bind(params);
    // Without parameters a statement is run in one call instead of being prepared first.
    return params.length === 0 ? connection.run(sql) : connection.run(sql, values, types);
  };
  return {
    rows: async (fragment) => (await start(fragment)).getRowObjectsJS(),
    run: async (fragment) => {
      await start(fragment);
    },
  };
}

/** Sets the labels that any rollout carries. Which of them a rollout carries is looked up by its words, of which few differ. */
async function insert(
  run: Runner["run"],
  {
    labels,
    reads,
    carried,
    places,
    keys,
  }: LabelBatch & Pick<Prepared, "carried" | "places"> & { keys: StoredKeys },
): Promise<void> {
  const turns = places.length === 0 ? "[]::BIGINT[]" : "coalesce(s.turns, []::BIGINT[])";
  const [only, ...others] = carried;
  if (only !== undefined && others.length === 0) {
    const shown =
      places.length === 0 ? "" : `LEFT JOIN (${shownTurns(carried, places, reads)}) s ON s.rid = v.rid`;
    await run({
      sql: `INSERT INTO labelled SELECT v.rid, ${keys.of(only)}, ${turns} FROM verdicts v ${shown} WHERE ${anyOf("v.held", [only.i])}`,
      params: [],
    });
    return;
  }
  const words = wordColumns("held", labels.length);
  const rows = carried.map(
    (label) =>
      `(${label.i}, ${wordOf(label.i)}, ${bitOf(label.i)}::BIGINT, ${keys.of(label)}, ${label.evidence === null ? "NULL" : places.indexOf(label.evidence)}::INTEGER)`,
  );
  // As a table of its own, of which the engine knows how small it is, so that it looks up the rollouts there and not the
  // other way round.
  await run({
    sql: `CREATE TEMP TABLE carried AS
          SELECT * FROM (SELECT DISTINCT ${words} FROM verdicts)
          JOIN (VALUES ${rows.join(", ")}) l(i, word, bit, key, place) ON ${hasBit("held", labels.length)}`,
    params: [],
  });
  // Nearly all labels may be of diagnostics without evidence, whose turns need not be looked for.
  const found = "FROM verdicts v JOIN carried c";
  const parts = [
    `SELECT v.rid, c.key, []::BIGINT[] ${found} USING (${words}) WHERE c.place IS NULL`,
    `SELECT v.rid, c.key, ${turns} ${found} USING (${words}) LEFT JOIN shown s ON s.rid = v.rid AND s.place = c.place WHERE c.place IS NOT NULL`,
  ].slice(0, places.length === 0 ? 1 : 2);
  await run({ sql: `INSERT INTO labelled ${parts.join(" UNION ALL ")}`, params: [] });
  await run({ sql: "DROP TABLE carried", params: [] });
  if (places.length > 0) await run({ sql: "DROP TABLE shown", params: [] });
}

/** A query of the turns of each rollout that meet a condition, by its place in `places`. */
function shownTurns(carried: readonly Placed[], places: readonly number[], reads: SharedReads): string {
  const { evidence } = reads;
  const conditions = places.map((place) => {
    const { conjuncts = [], parts = new Set<CallPart>(), answers = false } = evidence.all[place] ?? {};
    const labels = carried.filter((label) => label.evidence === place).map(({ i }) => i);
    return { conjuncts, parts, labels, answers };
  });
  const shown = anyOf(
    "v.held",
    conditions.flatMap(({ labels }) => labels),
  );
  const { names, joins } = reads.evidenceColumns("v", conditions);
  const source = `SELECT ${["v.* EXCLUDE (rid)", ...names, "t.*"].join(", ")}
                  FROM verdicts v JOIN turns t ON t.rid = v.rid ${joins.join(" ")} WHERE ${shown}`;
  const answering = conditions.filter(({ answers }) => answers).flatMap(({ labels }) => labels);
  const answered = `SELECT * FROM turns WHERE rid IN (SELECT v.rid FROM verdicts v WHERE ${anyOf("v.held", answering)})`;
  const told = answering.length === 0 ? source : withAnswers(source, answered);
  const turns = `(${withParts(told, partsOf(conditions))}) t`;
  const list = "list_sort(list(idx)) AS turns";
  const [first, ...others] = conditions;
  if (first !== undefined && others.length === 0)
    return `SELECT t.rid, 0 AS place, ${list} FROM ${turns} WHERE ${["TRUE", ...first.conjuncts.map(({ sql }) => sql)].join(" AND ")} GROUP BY t.rid`;
  // A turn is asked only what the labels of its rollout need.
  const guarded = conditions.map(({ conjuncts, labels }) => ({
    conjuncts: [{ sql: anyOf("t.held", labels) }, ...conjuncts],
  }));
  const bits = wordsOnce(turnWords(guarded));
  const words = wordColumns("b", places.length);
  // Most turns show nothing.
  const met = wordsFor(places.length).map((word) => `b${word} <> 0`);
  const all = `SELECT t.rid, t.idx, ${bits.join(", ")} FROM ${turns}`;
  return `WITH tried AS MATERIALIZED (SELECT * FROM (${all}) WHERE ${met.join(" OR ")}),
               met AS (SELECT * FROM (SELECT DISTINCT ${words} FROM tried)
                       JOIN ${labelRows([...places.keys()])} ON ${hasBit("b", places.length)})
          SELECT rid, i AS place, ${list} FROM tried JOIN met USING (${words}) GROUP BY rid, i`;
}
