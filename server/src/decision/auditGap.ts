import type { AuditGap } from "../../../shared/ledger/auditScore.ts";
import type { Score } from "../../../shared/ledger/measures.ts";
import { differenceInterval, type Estimate } from "../statistics/intervals/proportions.ts";

/** The scores of one version on the split that decides and on the one that nothing was chosen by. */
export interface SplitScores {
  readonly selection: Score;
  readonly audit: Score;
}

/**
 * How far a version's audit lies from its score, and what that says. The splits have different items, so that the two scores
 * are independent but for the seeds that they share, which only makes the interval too wide. A version that was chosen by its
 * score may overfit the selection split; one audited beside it, its baseline, tells whether the items are harder instead.
 */
export function auditGap({
  selection,
  audit,
  isChosen,
  baseline,
}: SplitScores & {
  /** Whether its score had a say in its being kept, which a baseline's has not. */
  readonly isChosen: boolean;
  /** Null where it has none, or its audit was never measured. */
  readonly baseline: SplitScores | null;
}): AuditGap {
  const gap = gapOf({ selection, audit });
  const { value: difference, low, high } = gap;
  return { difference, low, high, verdict: verdictOf(gap, { isChosen, baseline }) };
}

function verdictOf(
  gap: Estimate,
  { isChosen, baseline }: { readonly isChosen: boolean; readonly baseline: SplitScores | null },
): AuditGap["verdict"] {
  if (gap.low <= 0 && gap.high >= 0) return "inside_noise";
  if (gap.low > 0) return "easier";
  if (!isChosen) return "harder";
  if (baseline === null) return "overfits";
  return differenceInterval(gapOf(baseline), gap).high < 0 ? "overfits" : "harder";
}

function gapOf({ selection, audit }: SplitScores): Estimate {
  const [from, to] = [estimateOf(selection), estimateOf(audit)];
  return { value: to.value - from.value, ...differenceInterval(from, to) };
}

/** With what is unknown counted either way: that may explain the whole gap. */
const estimateOf = ({ value, low, high, outer }: Score): Estimate =>
  outer === undefined ? { value, low, high } : { value, low: outer[0], high: outer[1] };
