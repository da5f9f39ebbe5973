import { itemInterval } from "../intervals/itemInterval.ts";
import type { Doubt } from "../../../../shared/ledger/ledger.ts";
import type { Interval } from "../distributions/quantile.ts";
import { known, refuse, type Answer } from "../intervals/refusal.ts";
import {
  hasRepeatedRuns,
  stratifiedIntervals,
  type RunScores,
  type StratifiedOptions,
} from "../resampling/stratified.ts";

export interface Improvement extends Interval {
  /** Chance that a run of X beats a run of Y on a task drawn at random; ties count half. */
  readonly value: number;
  readonly tasks: number;
  /** How the interval over tasks was made, and what to doubt of it. */
  readonly method: string;
  readonly doubts: readonly Doubt[];
  /** The interval of rliable: these tasks, other runs; null with one run of each task. */
  readonly overRuns: Interval | null;
}

/**
 * Probability of improvement P(X > Y), the mean over tasks of the Mann-Whitney statistic over all pairs of runs (Agarwal
 * et al. 2021, §4.3). The interval takes the tasks as drawn, like that of a paired difference: 2 P − 1 is the mean over
 * tasks of how much more often X wins than it loses.
 */
export function probabilityOfImprovement(
  x: RunScores,
  y: RunScores,
  options: StratifiedOptions = {},
): Answer<Improvement> {
  if (x.length !== y.length)
    return refuse(
      "not_comparable",
      `The two versions have ${x.length} and ${y.length} tasks; give both the same tasks.`,
    );
  if (x.length === 0 || [...x, ...y].some((runs) => runs.length === 0))
    return refuse("nothing_measured", "Each task needs at least one run of both versions.");
  const { confidence = 0.95, resamples = 2000, seed = 1 } = options;
  const margins = Float64Array.from(x, (runs, t) => 2 * winsOf(runs, y[t] ?? []) - 1);
  const over = itemInterval(margins, "difference", { confidence, resamples, seed });
  const repeated = hasRepeatedRuns(x) || hasRepeatedRuns(y);
  const [overRuns = null] = repeated
    ? stratifiedIntervals([x, y], ([a = [], b = []]) => [share(a, b)], options)
    : [];
  return known({
    value: share(x, y),
    low: (1 + over.low) / 2,
    high: (1 + over.high) / 2,
    tasks: x.length,
    method: over.method,
    doubts: over.doubts,
    overRuns,
  });
}

function winsOf(runs: readonly number[], others: readonly number[]): number {
  let wins = 0;
  for (const a of runs) for (const b of others) wins += a > b ? 1 : a === b ? 0.5 : 0;
  return wins / (runs.length * others.length);
}

function share(x: RunScores, y: RunScores): number {
  let sum = 0;
  for (const [t, runs] of x.entries()) sum += winsOf(runs, y[t] ?? []);
  return sum / x.length;
}
