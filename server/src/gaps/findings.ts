import { counted, percentWithin, points, pointsWithin } from "../../../shared/words/numbers.ts";
import { alertOfTally } from "../diagnosis/alertOfTally.ts";
import { newcombe, wilson, type Proportion } from "../statistics/intervals/proportions.ts";

/** A rollout with the labels that hold for it, by their place. */
export interface LabelledRollout {
  readonly outcome: string;
  readonly step: number;
  /** Per label "1", "0" or "?" where it cannot be decided. */
  readonly labels: readonly string[];
}

export interface KnownLabel {
  readonly name: string;
  readonly severity: "info" | "warning" | "critical";
  readonly alert?: { readonly above: number; readonly critical?: number | undefined } | undefined;
  /** Whether an intervention names it as its target. */
  readonly answered: boolean;
}

export interface Gap {
  readonly kind: "unexplained" | "no-longer-separates" | "unanswered" | "disagrees";
  /** The label that it is about; null for failures that none explains. */
  readonly label: string | null;
  readonly message: string;
}

/** How many failures of one step or version no label explains. */
export interface UnexplainedAt {
  readonly at: string;
  readonly unexplained: number;
  readonly failures: number;
}

/** Labelled rollouts below which nothing is said about a label. */
const least = 10;

/** The failures that no label explains, over the steps of a version. */
export function unexplainedBySteps(rollouts: readonly LabelledRollout[]): UnexplainedAt[] {
  const steps = new Map<number, { unexplained: number; failures: number }>();
  for (const { outcome, step, labels } of rollouts) {
    if (outcome !== "fail") continue;
    const at = steps.get(step) ?? { unexplained: 0, failures: 0 };
    steps.set(step, at);
    at.failures += 1;
    if (!labels.includes("1")) at.unexplained += 1;
  }
  return [...steps].sort(([a], [b]) => a - b).map(([step, counts]) => ({ at: `step ${step}`, ...counts }));
}

/** What the labels in force leave open in a version; `other` are the rollouts of the version that it is compared with. */
export function findGaps(
  rollouts: readonly LabelledRollout[],
  other: readonly LabelledRollout[],
  known: readonly KnownLabel[],
): Gap[] {
  return [
    ...unexplained(rollouts, other),
    ...known.flatMap((label, i) => [
      ...unanswered(rollouts, label, i),
      ...noLongerSeparates(rollouts, other, label, i),
      ...disagrees(rollouts, other, label, i),
    ]),
  ];
}

function unexplained(rollouts: readonly LabelledRollout[], other: readonly LabelledRollout[]): Gap[] {
  const now = share(failures(rollouts), ({ labels }) => !labels.includes("1"));
  if (now.size === 0 || now.share === 0) return [];
  const before = share(failures(other), ({ labels }) => !labels.includes("1"));
  const { low, high } = wilson(now);
  const count = Math.round(now.share * now.size);
  const was =
    before.size === 0
      ? ""
      : `; ${pointsWithin(now.share - before.share, ...ends(newcombe(before, now)))} against the other version`;
  const message = `No label explains ${count} of ${counted(now.size, "failure")}: ${percentWithin(now.share, low, high)}${was}.`;
  return [{ kind: "unexplained", label: null, message }];
}

/** An alert that no intervention has among its targets. */
function unanswered(rollouts: readonly LabelledRollout[], label: KnownLabel, i: number): Gap[] {
  const labelled = rollouts.filter(({ labels }) => labels[i] === "1").length;
  const undecided = rollouts.filter(({ labels }) => labels[i] === "?").length;
  const told = alertOfTally({ labelled, undecided, rollouts: rollouts.length }, label.alert);
  if (label.answered || told.alert === null) return [];
  const message = `${label.name} is above its alert (${labelled} of ${counted(rollouts.length, "rollout")}), and no intervention names it as a target.`;
  return [{ kind: "unanswered", label: label.name, message }];
}

/** A label that told failures from passes in the other version, and does not here although it is as frequent as it needs to be. */
function noLongerSeparates(
  rollouts: readonly LabelledRollout[],
  other: readonly LabelledRollout[],
  label: KnownLabel,
  i: number,
): Gap[] {
  const [now, before] = [separation(rollouts, i), separation(other, i)];
  if (now === null || before === null || before.low <= 0 || now.low > 0 || now.high >= before.difference)
    return [];
  const message = `${label.name} no longer tells failures from passes: ${pointsWithin(now.difference, now.low, now.high)} more often in failures, ${points(before.difference)} in the other version.`;
  return [{ kind: "no-longer-separates", label: label.name, message }];
}

/** By how much more often failures carry a label than passes; null where too few carry it, or one side has no rollouts. */
function separation(
  rollouts: readonly LabelledRollout[],
  i: number,
): { difference: number; low: number; high: number } | null {
  const carries = ({ labels }: LabelledRollout): boolean => labels[i] === "1";
  if (rollouts.filter(carries).length < least) return null;
  const [fails, passes] = [share(failures(rollouts), carries), share(ofOutcome(rollouts, "pass"), carries)];
  if (fails.size === 0 || passes.size === 0) return null;
  return { difference: fails.share - passes.share, ...newcombe(passes, fails) };
}

/** The score rose and so did a label that says that something is wrong. */
function disagrees(
  rollouts: readonly LabelledRollout[],
  other: readonly LabelledRollout[],
  label: KnownLabel,
  i: number,
): Gap[] {
  if (label.severity === "info" || rollouts.length === 0 || other.length === 0) return [];
  const known = (some: readonly LabelledRollout[]) => some.filter(({ outcome }) => outcome !== "unknown");
  const score = [other, rollouts].map((some) => share(known(some), ({ outcome }) => outcome === "pass"));
  const rate = [other, rollouts].map((some) => share(some, ({ labels }) => labels[i] === "1"));
  const [[scoreBefore, scoreNow], [rateBefore, rateNow]] = [score, rate];
  if (
    scoreBefore === undefined ||
    scoreNow === undefined ||
    rateBefore === undefined ||
    rateNow === undefined
  )
    return [];
  if (newcombe(scoreBefore, scoreNow).low <= 0 || newcombe(rateBefore, rateNow).low <= 0) return [];
  const message = `The score and ${label.name} disagree: the passes rose by ${points(scoreNow.share - scoreBefore.share)}, and so did the label, by ${pointsWithin(rateNow.share - rateBefore.share, ...ends(newcombe(rateBefore, rateNow)))}.`;
  return [{ kind: "disagrees", label: label.name, message }];
}

const ends = ({ low, high }: { low: number; high: number }): [number, number] => [low, high];
const ofOutcome = (rollouts: readonly LabelledRollout[], outcome: string): LabelledRollout[] =>
  rollouts.filter((rollout) => rollout.outcome === outcome);
const failures = (rollouts: readonly LabelledRollout[]): LabelledRollout[] => ofOutcome(rollouts, "fail");

function share(
  rollouts: readonly LabelledRollout[],
  isHit: (rollout: LabelledRollout) => boolean,
): Proportion {
  const size = rollouts.length;
  return { share: size === 0 ? 0 : rollouts.filter(isHit).length / size, size };
}
