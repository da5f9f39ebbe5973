import type { LabelCount } from "../../../../shared/ledger/measures.ts";
import type { Outcome } from "../../../../shared/model/rollout.ts";
import type { DiagnosticSpec } from "../../../../shared/spec/diagnostic.ts";
import { alertOfTally } from "../../diagnosis/alertOfTally.ts";
import { isRefuted } from "../../diagnosis/refutedAlerts.ts";
import { collectOutcomes, type ItemOutcomes } from "../../statistics/scores/outcomes.ts";

/** So many selection rollouts of one item, of one seed, that ended in the same way. In the order of items and seeds. */
export interface RolloutTally {
  readonly item: string;
  readonly seed: number | null;
  readonly outcome: Outcome;
  /** Whether they carry a label that invalidates, by the diagnostics in question; false where nobody asked. */
  readonly spoiled: boolean;
  readonly count: number;
}

/** How many rollouts of one seed that ended in the same way a diagnostic labels. */
export interface LabelTallyOfSeed {
  readonly seed: number | null;
  readonly outcome: Outcome;
  readonly labelled: number;
  readonly undecided: number;
  readonly rollouts: number;
}

/** What a diagnostic says of a version, seed by seed. */
export interface LabelledBySeed {
  readonly spec: DiagnosticSpec;
  readonly revision: string;
  readonly tallies: readonly LabelTallyOfSeed[];
}

/** The selection rollouts of a version as the archive has them now. */
export interface ArchivedVersion {
  readonly tallies: readonly RolloutTally[];
  /** Labels by the diagnostics in question, computed anew; null where the rules leave labels as they were recorded. */
  readonly labels: readonly LabelledBySeed[] | null;
  /** Labels over groups that were computed anew; they cannot be told apart by seed. */
  readonly groups: readonly LabelCount[];
}

type Seeds = ReadonlySet<number | null>;

/** The seeds of a version in the order of their numbers; rollouts of which nobody noted the seed are of one. */
export function seedsOf({ tallies }: ArchivedVersion): (number | null)[] {
  const seeds = [...new Set(tallies.map(({ seed }) => seed))];
  return seeds.sort((a, b) => (a ?? Infinity) - (b ?? Infinity));
}

/** The outcomes of the items over the seeds that count. */
export function outcomesOf({ tallies }: ArchivedVersion, seeds: Seeds): ItemOutcomes[] {
  return collectOutcomes(each(tallies.filter(({ seed }) => seeds.has(seed))));
}

/** The same with every rollout that carries an invalidating label counted as a failure. */
export function cleanOutcomesOf({ tallies }: ArchivedVersion, seeds: Seeds): ItemOutcomes[] {
  const clean = tallies
    .filter(({ seed }) => seeds.has(seed))
    .map((tally) => (tally.spoiled ? { ...tally, outcome: "fail" as const } : tally));
  return collectOutcomes(each(clean));
}

function* each(tallies: readonly RolloutTally[]): Iterable<RolloutTally> {
  for (const tally of tallies) for (let i = 0; i < tally.count; i++) yield tally;
}

/** The labels over the seeds that count, with the alerts that the thresholds of their diagnostics give. */
export function labelCounts(labels: readonly LabelledBySeed[], seeds: Seeds): LabelCount[] {
  return labels.map(({ spec, revision, tallies }) => {
    const counted = tallies.filter(({ seed }) => seeds.has(seed));
    const count = {
      name: spec.name,
      severity: spec.label.severity,
      ...sum(counted),
      invalidates: spec.label.invalidates,
      revision,
    };
    const told = alertOfTally(count, spec.alert);
    return told.alert !== null && refuted(spec, counted, count.undecided)
      ? { ...count, alert: null, refutedBy: refutation(counted) }
      : { ...count, ...told };
  });
}

function sum(tallies: readonly LabelTallyOfSeed[]): {
  labelled: number;
  undecided: number;
  rollouts: number;
} {
  const total = (of: "labelled" | "undecided" | "rollouts"): number =>
    tallies.reduce((n, tally) => n + tally[of], 0);
  return { labelled: total("labelled"), undecided: total("undecided"), rollouts: total("rollouts") };
}

function refuted(
  { label, alert }: DiagnosticSpec,
  tallies: readonly LabelTallyOfSeed[],
  undecided: number,
): boolean {
  if (label.invalidates || alert === undefined || alert.evenIfPassed === true) return false;
  const [passes, fails] = [endedIn(tallies, "pass"), endedIn(tallies, "fail")];
  return isRefuted({ passes, fails, undecided }, alert.above);
}

const endedIn = (tallies: readonly LabelTallyOfSeed[], outcome: Outcome) =>
  sum(tallies.filter((tally) => tally.outcome === outcome));

function refutation(tallies: readonly LabelTallyOfSeed[]): NonNullable<LabelCount["refutedBy"]> {
  const { labelled, rollouts: passes } = endedIn(tallies, "pass");
  return { labelled, passes };
}
