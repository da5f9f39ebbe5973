import { known, refuse, type Answer } from "./refusal.ts";
import {
  hasRepeatedRuns,
  stratifiedIntervals,
  type RunScores,
  type StratifiedOptions,
} from "./stratified.ts";

export interface Improvement {
  /** Chance that a run of X beats a run of Y on a task drawn at random; ties count half. */
  readonly value: number;
  readonly low: number;
  readonly high: number;
  readonly tasks: number;
}

/**
 * Probability of improvement P(X > Y), the mean over tasks of the Mann-Whitney statistic over all pairs of runs (Agarwal
 * et al. 2021, §4.3), with its stratified bootstrap interval.
 */
export function probabilityOfImprovement(
  x: RunScores,
  y: RunScores,
  options: StratifiedOptions = {},
): Answer<Improvement> {
  if (x.length !== y.length)
    return refuse("not_comparable", `The two have ${x.length} and ${y.length} tasks; give the same tasks.`);
  if (x.length === 0 || [...x, ...y].some((runs) => runs.length === 0))
    return refuse("nothing_measured", "Each task needs at least one run of both.");
  if (!hasRepeatedRuns(x) && !hasRepeatedRuns(y))
    return refuse(
      "one_run",
      "Each task has one run of both, so how much runs differ is not known; repeat them with other seeds.",
    );
  const [interval = { low: 0, high: 1 }] = stratifiedIntervals(
    [x, y],
    ([a = [], b = []]) => [share(a, b)],
    options,
  );
  return known({ value: share(x, y), ...interval, tasks: x.length });
}

function share(x: RunScores, y: RunScores): number {
  let sum = 0;
  for (const [t, runs] of x.entries()) {
    const others = y[t] ?? [];
    let wins = 0;
    for (const a of runs) for (const b of others) wins += a > b ? 1 : a === b ? 0.5 : 0;
    sum += wins / (runs.length * others.length);
  }
  return sum / x.length;
}
