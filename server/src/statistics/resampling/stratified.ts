import { seededRandom } from "../../base/random.ts";
import { quantileSorted, type Interval } from "../distributions/quantile.ts";

/** Scores of the runs of each task: `scores[task][run]`. Tasks may have different numbers of runs, but at least one. */
export type RunScores = readonly (readonly number[])[];

export interface StratifiedOptions {
  readonly confidence?: number;
  readonly resamples?: number;
  readonly seed?: number;
}

/**
 * Stratified bootstrap of rliable (Agarwal et al. 2021, §4.1): the runs of each task are resampled on their own, the tasks
 * stay. Percentile intervals of several numbers at once; with one run of each task there is nothing to resample.
 */
export function stratifiedIntervals(
  of: readonly RunScores[],
  statistics: (resampled: readonly number[][][]) => readonly number[],
  options: StratifiedOptions = {},
): Interval[] {
  const { confidence = 0.95, resamples = 2000, seed = 1 } = options;
  const random = seededRandom(seed);
  const drawn = of.map((scores) => scores.map((runs) => [...runs]));
  const values: Float64Array[] = [];
  for (let r = 0; r < resamples; r++) {
    for (const [s, scores] of of.entries())
      for (const [t, runs] of scores.entries()) {
        const into = drawn[s]?.[t] ?? [];
        for (let i = 0; i < runs.length; i++) into[i] = runs[Math.floor(random() * runs.length)] ?? 0;
      }
    for (const [i, value] of statistics(drawn).entries())
      (values[i] ??= new Float64Array(resamples))[r] = value;
  }
  const tail = (1 - confidence) / 2;
  return values.map((of) => {
    of.sort();
    return { low: quantileSorted(of, tail), high: quantileSorted(of, 1 - tail) };
  });
}

/** Whether resampling the runs can show how much they differ. */
export function hasRepeatedRuns(scores: RunScores): boolean {
  return scores.some((runs) => runs.length > 1);
}
