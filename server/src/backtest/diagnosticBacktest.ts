import type { DiagnosticSpec } from "../../../shared/spec/diagnostic.ts";
import { numberOf, stringOf, stringsOf } from "../evidence/rows.ts";
import { scopeCondition, type EvidenceScope } from "../evidence/split.ts";
import type { Store } from "../evidence/store.ts";
import { conditionOf, tablesOf, type LabelCondition } from "../outcomes/condition.ts";

/** How many rollouts of a version a revision labels, and for how many its condition has no value. */
export interface Labelled {
  readonly labelled: number;
  readonly undecided: number;
}

/** Rollouts that a revision treats in another way than the one before, the first of them by name. */
export interface Changed {
  readonly count: number;
  readonly examples: readonly string[];
}

export interface VersionBacktest {
  readonly version: string;
  readonly split: OpenSplit;
  readonly rollouts: number;
  /** Null where there is nothing before: the diagnostic is new. */
  readonly before: Labelled | null;
  readonly after: Labelled;
  readonly newly: Changed;
  readonly noLonger: Changed;
}

type OpenSplit = "train" | "selection";

export interface ExampleCheck {
  readonly rollout: string;
  readonly expect: "labelled" | "clear";
  readonly found: "labelled" | "clear" | "undecided" | "not_archived";
  readonly right: boolean;
}

export interface DiagnosticBacktest {
  readonly diagnostic: string;
  readonly revision: string;
  /** What it is compared with: the project's revision, computed anew, or the labels that are stored. */
  readonly before: {
    readonly revision: string | null;
    readonly from: "recomputed" | "stored" | "nothing";
  };
  readonly versions: readonly VersionBacktest[];
  readonly examples: readonly ExampleCheck[];
}

export interface DiagnosticBacktestOptions {
  readonly spec: DiagnosticSpec;
  /** The revision that the project has now; undefined for a new diagnostic. */
  readonly current: DiagnosticSpec | undefined;
  /** All versions with rollouts when omitted. */
  readonly versions?: readonly string[];
  /** The selection split where a version has one, else training, when omitted. */
  readonly split?: OpenSplit;
}

/**
 * Runs a revision of a diagnostic over the archived versions and says what it would change. Reads only: the stored
 * labels stay as they are.
 * @throws HarnessError specInvalid when the revision or the current one does not compile
 */
export async function backtestDiagnostic(
  store: Store,
  options: DiagnosticBacktestOptions,
): Promise<DiagnosticBacktest> {
  const { spec, current } = options;
  const after = conditionOf(spec);
  const before = current === undefined ? null : conditionOf(current);
  const stored = before === null ? await storedRevision(store, spec.name) : null;
  const versions: VersionBacktest[] = [];
  const done = new Set<string>();
  for (const split of options.split === undefined ? (["selection", "train"] as const) : [options.split]) {
    const found = await runOver(
      store,
      { split },
      { after, before, stored: stored !== null },
      options.versions,
    );
    versions.push(...found.filter((v) => !done.has(v.version)));
    for (const { version } of found) done.add(version);
  }
  return {
    diagnostic: spec.name,
    revision: after.revision,
    before: {
      revision: before?.revision ?? stored,
      from: before !== null ? "recomputed" : stored !== null ? "stored" : "nothing",
    },
    versions,
    examples: await checkExamples(store, spec, after),
  };
}

/** The revision whose labels are stored under a name, by whatever set them; null where none is. */
async function storedRevision(store: Store, label: string): Promise<string | null> {
  const rows = await store.query({
    sql: "SELECT revision FROM labels WHERE label = ? GROUP BY revision ORDER BY count(*) DESC, revision LIMIT 1",
    params: [label],
  });
  const [row] = rows;
  return row === undefined ? null : stringOf(row, "revision");
}

interface Conditions {
  readonly after: LabelCondition;
  readonly before: LabelCondition | null;
  readonly stored: boolean;
}

const examplesShown = 5;

async function runOver(
  store: Store,
  scope: { readonly split: OpenSplit },
  { after, before, stored }: Conditions,
  versions: readonly string[] | undefined,
): Promise<VersionBacktest[]> {
  const tables = await tablesOf(store, before === null ? [after] : [after, before]);
  const where = scopeCondition(scope);
  const old =
    before !== null
      ? `(${before.sql})`
      : stored
        ? "(r.rid IN (SELECT rid FROM labels WHERE label = ?))"
        : "NULL::BOOLEAN";
  const among = versions === undefined ? "" : " AND r.version IN (SELECT unnest(?))";
  const rows = await store.query({
    sql: `SELECT version, count(*) AS rollouts,
                 count(*) FILTER (old) AS labelled_before, count(*) FILTER (old IS NULL) AS undecided_before,
                 count(*) FILTER (now) AS labelled_after, count(*) FILTER (now IS NULL) AS undecided_after,
                 count(*) FILTER (now AND old IS DISTINCT FROM TRUE) AS newly,
                 count(*) FILTER (old AND now IS DISTINCT FROM TRUE) AS no_longer,
                 coalesce(arg_min(name, rid, ${examplesShown}) FILTER (now AND old IS DISTINCT FROM TRUE), []) AS newly_names,
                 coalesce(arg_min(name, rid, ${examplesShown}) FILTER (old AND now IS DISTINCT FROM TRUE), []) AS no_longer_names,
                 min(rid) AS first
          FROM (SELECT r.version, r.rid, r.run || '/' || r.id AS name, (${after.sql}) AS now, ${old} AS old
                FROM ${tables} WHERE ${where.sql}${among})
          GROUP BY version ORDER BY first`,
    params: [
      ...(before === null && stored ? [after.label] : []),
      ...where.params,
      ...(versions === undefined ? [] : [versions]),
    ],
  });
  const hasBefore = before !== null || stored;
  const nothing: Changed = { count: 0, examples: [] };
  return rows.map((row) => ({
    version: stringOf(row, "version"),
    split: scope.split,
    rollouts: numberOf(row, "rollouts"),
    before: hasBefore
      ? { labelled: numberOf(row, "labelled_before"), undecided: numberOf(row, "undecided_before") }
      : null,
    after: { labelled: numberOf(row, "labelled_after"), undecided: numberOf(row, "undecided_after") },
    newly: hasBefore ? { count: numberOf(row, "newly"), examples: stringsOf(row, "newly_names") } : nothing,
    noLonger: hasBefore
      ? { count: numberOf(row, "no_longer"), examples: stringsOf(row, "no_longer_names") }
      : nothing,
  }));
}

/** The examples of the spec. Those of the audit split are sealed, so that they count as not archived. */
async function checkExamples(
  store: Store,
  spec: DiagnosticSpec,
  after: LabelCondition,
): Promise<ExampleCheck[]> {
  if (spec.examples.length === 0) return [];
  const tables = await tablesOf(store, [after]);
  const open: EvidenceScope[] = [{ split: "selection" }, { split: "train" }];
  const verdicts = new Map<string, ExampleCheck["found"]>();
  for (const scope of open) {
    const where = scopeCondition(scope);
    const rows = await store.query({
      sql: `SELECT r.run || '/' || r.id AS name, (${after.sql}) AS verdict FROM ${tables}
            WHERE ${where.sql} AND r.run || '/' || r.id IN (SELECT unnest(?))`,
      params: [...where.params, spec.examples.map((e) => e.rollout)],
    });
    for (const row of rows)
      verdicts.set(
        stringOf(row, "name"),
        row["verdict"] === true ? "labelled" : row["verdict"] === false ? "clear" : "undecided",
      );
  }
  return spec.examples.map(({ rollout, expect }) => {
    const found = verdicts.get(rollout) ?? "not_archived";
    return { rollout, expect, found, right: found === expect };
  });
}
