import type { DiagnosticSpec } from "../../../shared/spec/diagnostic.ts";
import { numberOf, stringOf, stringsOf } from "../evidence/store/rows.ts";
import { scopeCondition, type EvidenceScope } from "../evidence/store/split.ts";
import type { SqlFragment, Store } from "../evidence/archive/store.ts";
import { conditionOf, tablesOf, type LabelCondition } from "../changes/condition.ts";
import { tryArchived, type ArchivedVerdict } from "./archivedExamples.ts";

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
  readonly found: ArchivedVerdict;
  /** Null where the rollout is not in the archive, or its condition has no value. */
  readonly right: boolean | null;
}

export interface DiagnosticBacktest {
  readonly diagnostic: string;
  readonly revision: string;
  /** The revision that it is compared with; null for a new diagnostic. */
  readonly before: string | null;
  readonly versions: readonly VersionBacktest[];
  readonly examples: readonly ExampleCheck[];
}

/** What a revision is compared with: another revision, computed anew, the labels that are stored, or nothing. */
export type Before =
  | { readonly type: "spec"; readonly spec: DiagnosticSpec }
  | { readonly type: "stored"; readonly revision: string }
  | { readonly type: "nothing" };

export interface DiagnosticBacktestOptions {
  readonly spec: DiagnosticSpec;
  readonly before: Before;
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
  const { spec } = options;
  const after = conditionOf(spec);
  const old = oldVerdict(options.before, spec.name);
  const versions: VersionBacktest[] = [];
  const done = new Set<string>();
  for (const split of options.split === undefined ? (["selection", "train"] as const) : [options.split]) {
    const found = await runOver(store, { split, versions: options.versions }, after, old);
    versions.push(...found.filter((v) => !done.has(v.version)));
    for (const { version } of found) done.add(version);
  }
  return {
    diagnostic: spec.name,
    revision: after.revision,
    before: old?.revision ?? null,
    versions,
    examples: await checkExamples(store, spec, after),
  };
}

/** The revision whose labels are stored under a name, by whatever set them; null where none is. */
export async function storedRevision(store: Store, label: string): Promise<string | null> {
  const rows = await store.query({
    sql: "SELECT revision FROM labels WHERE label = ? GROUP BY revision ORDER BY count(*) DESC, revision LIMIT 1",
    params: [label],
  });
  const [row] = rows;
  return row === undefined ? null : stringOf(row, "revision");
}

interface OldVerdict extends SqlFragment {
  readonly revision: string;
}

function oldVerdict(before: Before, label: string): OldVerdict | null {
  switch (before.type) {
    case "spec": {
      const { sql, revision } = conditionOf(before.spec);
      return { sql: `(${sql})`, params: [], revision };
    }
    case "stored":
      return {
        sql: "(r.rid IN (SELECT rid FROM labels WHERE label = ?))",
        params: [label],
        revision: before.revision,
      };
    case "nothing":
      return null;
  }
}

const examplesShown = 5;

async function runOver(
  store: Store,
  { split, versions }: { readonly split: OpenSplit; readonly versions: readonly string[] | undefined },
  after: LabelCondition,
  old: OldVerdict | null,
): Promise<VersionBacktest[]> {
  const tables = await tablesOf(store, old === null ? [after] : [after, old]);
  const where = scopeCondition({ split });
  const among = versions === undefined ? "" : " AND r.version IN (SELECT unnest(?))";
  const [newly, noLonger] = ["now AND old IS DISTINCT FROM TRUE", "old AND now IS DISTINCT FROM TRUE"];
  const rows = await store.query({
    sql: `SELECT version, count(*) AS rollouts,
                 count(*) FILTER (old) AS labelled_before, count(*) FILTER (old IS NULL) AS undecided_before,
                 count(*) FILTER (now) AS labelled_after, count(*) FILTER (now IS NULL) AS undecided_after,
                 count(*) FILTER (${newly}) AS newly, count(*) FILTER (${noLonger}) AS no_longer,
                 coalesce(arg_min(name, rid, ${examplesShown}) FILTER (${newly}), []) AS newly_names,
                 coalesce(arg_min(name, rid, ${examplesShown}) FILTER (${noLonger}), []) AS no_longer_names,
                 min(rid) AS first
          FROM (SELECT r.version, r.rid, r.run || '/' || r.id AS name, (${after.sql}) AS now, ${old?.sql ?? "NULL::BOOLEAN"} AS old
                FROM ${tables} WHERE ${where.sql}${among})
          GROUP BY version ORDER BY first`,
    params: [...(old?.params ?? []), ...where.params, ...(versions === undefined ? [] : [versions])],
  });
  const hasBefore = old !== null;
  const nothing: Changed = { count: 0, examples: [] };
  return rows.map((row) => ({
    version: stringOf(row, "version"),
    split,
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

/** The rollouts of a scope that a revision labels, by their numbers. @throws HarnessError specInvalid */
export async function labelledRollouts(
  store: Store,
  spec: DiagnosticSpec,
  scope: EvidenceScope,
): Promise<ReadonlySet<number>> {
  const condition = conditionOf(spec);
  const tables = await tablesOf(store, [condition]);
  const where = scopeCondition(scope);
  const rows = await store.query({
    sql: `SELECT r.rid FROM ${tables} WHERE ${where.sql} AND (${condition.sql})`,
    params: where.params,
  });
  return new Set(rows.map((row) => numberOf(row, "rid")));
}

/** The examples of the spec that name a rollout. */
async function checkExamples(
  store: Store,
  spec: DiagnosticSpec,
  after: LabelCondition,
): Promise<ExampleCheck[]> {
  // Those that are written out are tried by `check`, without an archive.
  const examples = spec.examples.flatMap(({ rollout, expect }) =>
    typeof rollout === "string" ? [{ rollout, expect }] : [],
  );
  const [verdicts = []] = await tryArchived(store, [
    { sql: after.sql, rollouts: examples.map((e) => e.rollout) },
  ]);
  return examples.map(({ rollout, expect }, i) => {
    const found = verdicts[i] ?? "not_archived";
    return {
      rollout,
      expect,
      found,
      right: found === "labelled" || found === "clear" ? found === expect : null,
    };
  });
}
