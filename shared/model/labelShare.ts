/** In how many rollouts, or groups, a label was found, and for how many the evidence does not say whether it holds. */
export interface LabelTally {
  readonly labelled: number;
  /** None where it is left out. */
  readonly undecided?: number | undefined;
  /** All of them, decided or not. */
  readonly rollouts: number;
}

/** How often a label holds: everything that shows or compares it takes these numbers, so that all say the same. */
export interface LabelShare {
  readonly labelled: number;
  readonly decided: number;
  readonly undecided: number;
  readonly rollouts: number;
  /** labelled / decided; null where nothing was decided. */
  readonly rate: number | null;
  /** The rate of all if every undecided one were clear, and if every one carried the label. */
  readonly bounds: readonly [number, number];
  /** decided / all; 0 where there is nothing. */
  readonly coverage: number;
}

/** Where less than this part is decided, the rate says more about what could be decided than about the version. */
const leastCoverage = 0.5;

/** The only place where the share of a label is computed. */
export function labelShare({ labelled, undecided = 0, rollouts }: LabelTally): LabelShare {
  const decided = rollouts - undecided;
  return {
    labelled,
    decided,
    undecided,
    rollouts,
    rate: decided === 0 ? null : labelled / decided,
    bounds: rollouts === 0 ? [0, 1] : [labelled / rollouts, (labelled + undecided) / rollouts],
    coverage: rollouts === 0 ? 0 : decided / rollouts,
  };
}

/** Whether enough was decided for a verdict. */
export const isTold = ({ coverage }: Pick<LabelShare, "coverage">): boolean => coverage >= leastCoverage;

/** Which of two thresholds a label is certainly above, whatever the undecided ones are; null also where too few are decided. */
export function alertOf(
  share: LabelShare,
  alert: { readonly above: number; readonly critical?: number | undefined } | undefined,
): "warning" | "critical" | null {
  if (alert === undefined || !isTold(share)) return null;
  const [low] = share.bounds;
  if (alert.critical !== undefined && low > alert.critical) return "critical";
  return low > alert.above ? "warning" : null;
}

/** The share of a label as reports show it: the bounds only where some are undecided. */
export function shownShare(tally: LabelTally): { rate: number | null; bounds?: [number, number] } {
  const { rate, bounds, undecided } = labelShare(tally);
  return undecided === 0 ? { rate } : { rate, bounds: [...bounds] };
}

/** Of a label over groups: that it is, and which split they are of. */
export const ofGroups = <S extends string>({
  over,
  split,
}: {
  readonly over?: "rollout" | "group" | undefined;
  readonly split?: S | undefined;
}): { over?: "group"; split?: S } =>
  over === "group" ? { over, ...(split === undefined ? {} : { split }) } : {};

/** The labels that something carries. */
export const labelsFound = <T extends { readonly rate: number | null }>(
  labels: readonly T[],
): (T & { readonly rate: number })[] =>
  labels.filter((label): label is T & { readonly rate: number } => label.rate !== null && label.rate > 0);
