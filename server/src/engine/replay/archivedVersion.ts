import { Outcome } from "../../../../shared/model/rollout.ts";
import { counted } from "../../../../shared/words/numbers.ts";
import type { Score } from "../../../../shared/ledger/measures.ts";
import type { DiagnosticSpec } from "../../../../shared/spec/diagnostic.ts";
import type { Archived } from "../../decision/replay/decideAgain.ts";
import type { LabelledBySeed, RolloutTally } from "../../decision/replay/evidence.ts";
import { alertOfTally } from "../../diagnosis/alertOfTally.ts";
import { usableLabel } from "../../diagnosis/label/compileLabel.ts";
import { labelGroups } from "../../diagnosis/groups.ts";
import { signalScope } from "../../diagnosis/versionFacts.ts";
import type { LabelCount } from "../../../../shared/ledger/measures.ts";
import { SharedReads } from "../../evidence/labels/sharedReads.ts";
import { verdictsOf } from "../../evidence/labels/verdicts.ts";
import { numberOf, numberOrNull, stringOf } from "../../evidence/store/rows.ts";
import { scopeCondition, type EvidenceScope } from "../../evidence/store/split.ts";
import type { Store } from "../../evidence/archive/store.ts";

/** Whose rollouts are read, and the diagnostics that label them anew; without any the labels stay as they were recorded. */
interface Asked {
  readonly version: string;
  /** What the ledger measured; null where it has no score. */
  readonly recorded: Score | null;
  readonly diagnostics: readonly DiagnosticSpec[] | null;
}

/**
 * The selection rollouts of a version, or why they cannot be used: the archive has none of them, or not those that the
 * ledger counted. Stores nothing.
 * @throws HarnessError specInvalid for a diagnostic that does not compile
 */
export async function archivedVersion(store: Store, asked: Asked): Promise<Archived> {
  const { version, recorded, diagnostics } = asked;
  const scope: EvidenceScope = { split: "selection", version };
  const overRollouts = (diagnostics ?? []).filter(
    ({ over, label }) => over === "rollout" && label.judge === undefined,
  );
  const labels = diagnostics === null ? null : await labelledBySeed(store, overRollouts, scope);
  const tallies = await rolloutTallies(
    store,
    overRollouts.filter(({ label }) => label.invalidates),
    scope,
  );
  const there = tallies.reduce((sum, { count }) => sum + count, 0);
  if (there === 0) return { type: "missing", why: "the archive has no rollouts of it" };
  const was = recorded === null ? there : recorded.rollouts + recorded.unknown;
  if (there !== was)
    return {
      type: "missing",
      why: `the archive has ${counted(there, "rollout")} of it, and the ledger counted ${was}`,
    };
  const groups = diagnostics === null ? [] : await groupCounts(store, diagnostics, version);
  return { type: "there", of: { tallies, labels, groups } };
}

async function rolloutTallies(
  store: Store,
  invalidating: readonly DiagnosticSpec[],
  scope: EvidenceScope,
): Promise<RolloutTally[]> {
  const columns = "r.item, r.seed, r.outcome";
  const where = scopeCondition(scope);
  const order = `GROUP BY ${columns}, spoiled ORDER BY r.item, r.seed, r.outcome, spoiled`;
  if (invalidating.length === 0) {
    const rows = await store.query({
      sql: `SELECT ${columns}, false AS spoiled, count(*) AS n FROM rollouts r WHERE ${where.sql} ${order}`,
      params: where.params,
    });
    return rows.map(tallyOf);
  }
  const verdicts = await verdictsIn(store, invalidating, scope);
  const spoiled = invalidating.map((_, i) => `coalesce(v.v${i}, false)`).join(" OR ");
  const rows = await store.query({
    sql: `SELECT ${columns}, (${spoiled}) AS spoiled, count(*) AS n
          FROM (${verdicts.sql}) v JOIN rollouts r ON r.rid = v.rid ${order}`,
    params: verdicts.params,
  });
  return rows.map(tallyOf);
}

type Row = Parameters<typeof stringOf>[0];

const tallyOf = (row: Row): RolloutTally => ({
  item: stringOf(row, "item"),
  seed: numberOrNull(row, "seed"),
  outcome: Outcome.parse(row["outcome"]),
  spoiled: row["spoiled"] === true,
  count: numberOf(row, "n"),
});

function verdictsIn(store: Store, specs: readonly DiagnosticSpec[], scope: EvidenceScope) {
  const reads = new SharedReads();
  const conditions = specs.map((spec) => usableLabel(spec).sharedWhen(reads));
  return verdictsOf(store, { scope, conditions, reads });
}

async function labelledBySeed(
  store: Store,
  specs: readonly DiagnosticSpec[],
  scope: EvidenceScope,
): Promise<LabelledBySeed[]> {
  if (specs.length === 0) return [];
  const verdicts = await verdictsIn(store, specs, scope);
  const counts = specs.map(
    (_, i) => `count(*) FILTER (v.v${i}) AS n${i}, count(*) FILTER (v.v${i} IS NULL) AS u${i}`,
  );
  const rows = await store.query({
    sql: `SELECT r.seed, r.outcome, count(*) AS rollouts, ${counts.join(", ")}
          FROM (${verdicts.sql}) v JOIN rollouts r ON r.rid = v.rid GROUP BY r.seed, r.outcome ORDER BY r.seed, r.outcome`,
    params: verdicts.params,
  });
  return specs.map((spec, i) => ({
    spec,
    revision: usableLabel(spec).revision,
    tallies: rows.map((row) => ({
      seed: numberOrNull(row, "seed"),
      outcome: Outcome.parse(row["outcome"]),
      labelled: numberOf(row, `n${i}`),
      undecided: numberOf(row, `u${i}`),
      rollouts: numberOf(row, "rollouts"),
    })),
  }));
}

async function groupCounts(
  store: Store,
  diagnostics: readonly DiagnosticSpec[],
  version: string,
): Promise<LabelCount[]> {
  const specs = diagnostics.filter(({ over }) => over === "group");
  const scope = await signalScope(store, { version, scope: { split: "selection" } });
  const found = await labelGroups(store, specs, scope);
  return found.map((count) => ({
    ...count,
    ...alertOfTally(count, specs.find(({ name }) => name === count.name)?.alert),
  }));
}
