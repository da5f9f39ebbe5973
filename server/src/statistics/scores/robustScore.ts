import { iqm } from "./iqm.ts";
import { known, refuse, type Answer } from "../intervals/refusal.ts";
import {
  hasRepeatedRuns,
  stratifiedIntervals,
  type RunScores,
  type StratifiedOptions,
} from "../resampling/stratified.ts";

export interface RobustScore {
  readonly value: number;
  readonly low: number;
  readonly high: number;
  readonly tasks: number;
}

/** IQM of all runs of all tasks with its stratified bootstrap interval (Agarwal et al. 2021). */
export function iqmScore(scores: RunScores, options: StratifiedOptions = {}): Answer<RobustScore> {
  if (scores.length === 0 || scores.some((runs) => runs.length === 0))
    return refuse("nothing_measured", "Each task needs at least one run.");
  if (!hasRepeatedRuns(scores))
    return refuse(
      "one_run",
      "Each task has one run, so nobody knows how much runs differ; repeat them with other seeds.",
    );
  const [interval = { low: 0, high: 0 }] = stratifiedIntervals(
    [scores],
    ([drawn = []]) => [iqm(drawn.flat())],
    options,
  );
  return known({ value: iqm(scores.flat()), ...interval, tasks: scores.length });
}
