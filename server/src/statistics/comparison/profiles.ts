import { known, refuse, type Answer } from "../intervals/refusal.ts";
import {
  hasRepeatedRuns,
  stratifiedIntervals,
  type RunScores,
  type StratifiedOptions,
} from "../resampling/stratified.ts";

export interface ProfilePoint {
  readonly threshold: number;
  /** Share of runs above the threshold, each task with the same weight. */
  readonly share: number;
  /** Pointwise band over other runs of these tasks; null with one run of each task, which shows no spread of runs. */
  readonly low: number | null;
  readonly high: number | null;
}

/**
 * Performance profile: the run-score distribution of Agarwal et al. 2021, §4.2, the share of runs that score more than
 * each threshold, with pointwise bands from the stratified bootstrap.
 */
export function performanceProfile(
  scores: RunScores,
  thresholds: readonly number[],
  options: StratifiedOptions = {},
): Answer<{ readonly points: readonly ProfilePoint[] }> {
  if (scores.length === 0 || scores.some((runs) => runs.length === 0))
    return refuse("nothing_measured", "Each task needs at least one run.");
  const bands = hasRepeatedRuns(scores)
    ? stratifiedIntervals([scores], ([drawn = []]) => thresholds.map((t) => shareAbove(drawn, t)), options)
    : [];
  const points = thresholds.map((threshold, i) => ({
    threshold,
    share: shareAbove(scores, threshold),
    ...(bands[i] ?? { low: null, high: null }),
  }));
  return known({ points });
}

function shareAbove(scores: RunScores, threshold: number): number {
  let sum = 0;
  for (const runs of scores) {
    let above = 0;
    for (const x of runs) if (x > threshold) above++;
    sum += above / runs.length;
  }
  return sum / scores.length;
}
