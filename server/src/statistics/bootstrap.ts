import { seededRandom } from "../base/random.ts";

export interface Interval {
  readonly low: number;
  readonly high: number;
}

/**
 * Percentile bootstrap over clusters: draws `clusters` indices with replacement, `resamples` times, and returns the
 * central `confidence` interval of `statistic(indices)` (Efron and Tibshirani 1993, ch. 13). Deterministic by seed.
 */
export function bootstrapClusters(
  clusters: number,
  statistic: (indices: Int32Array) => number,
  options: { confidence: number; resamples: number; seed: number },
): Interval {
  const random = seededRandom(options.seed);
  const indices = new Int32Array(clusters);
  const values = new Float64Array(options.resamples);
  for (let r = 0; r < options.resamples; r++) {
    for (let i = 0; i < clusters; i++) indices[i] = Math.floor(random() * clusters);
    values[r] = statistic(indices);
  }
  values.sort();
  const tail = (1 - options.confidence) / 2;
  return { low: quantileSorted(values, tail), high: quantileSorted(values, 1 - tail) };
}

/** Linear interpolation between order statistics (Hyndman and Fan 1996, type 7). */
export function quantileSorted(sorted: ArrayLike<number>, p: number): number {
  const position = (sorted.length - 1) * p;
  const below = Math.floor(position);
  const a = sorted[below] ?? Number.NaN;
  const b = sorted[Math.min(below + 1, sorted.length - 1)] ?? Number.NaN;
  return a === b ? a : a + (b - a) * (position - below);
}
