import { quantileSorted, type Interval } from "../distributions/quantile.ts";
import { moments } from "../distributions/moments.ts";
import { normalQuantile } from "../../../../shared/model/normalQuantile.ts";
import { normalCdf } from "../distributions/normal.ts";
import { resampleMeans, type Resamples } from "../resampling/resample.ts";
import { studentQuantile } from "../distributions/student.ts";

/** How an interval of a mean over items is made; docs/statistics.md compares them by simulation. */
export const meanMethods = ["percentile", "expanded", "bca", "studentized", "t"] as const;
export type MeanMethod = (typeof meanMethods)[number];

export interface MeanIntervalOptions {
  readonly confidence: number;
  readonly resamples: number;
  readonly seed: number;
}

/**
 * Interval of the mean of at least two values that are not all equal. Percentile, BCa and studentized as in Efron and
 * Tibshirani 1993, ch. 12–14; the acceleration of BCa is that of a mean, skewness / (6 √n).
 */
export function meanInterval(
  values: ArrayLike<number>,
  method: MeanMethod,
  options: MeanIntervalOptions & { readonly resampled?: Resamples },
): Interval {
  const { n, mean, variance, skewness } = moments(values);
  const error = Math.sqrt(variance / n);
  const tail = (1 - options.confidence) / 2;
  const resampled = (): Resamples => options.resampled ?? resampleMeans(values, options);
  switch (method) {
    case "t": {
      const half = error * studentQuantile(1 - tail, n - 1);
      return { low: mean - half, high: mean + half };
    }
    case "studentized": {
      const ratios = studentized(resampled());
      return {
        low: mean - error * quantileSorted(ratios, 1 - tail),
        high: mean - error * quantileSorted(ratios, tail),
      };
    }
    case "percentile": {
      const shifts = resampled().shifts.toSorted();
      return { low: mean + quantileSorted(shifts, tail), high: mean + quantileSorted(shifts, 1 - tail) };
    }
    case "expanded": {
      const shifts = resampled().shifts.toSorted();
      const wider = normalCdf(-Math.sqrt(n / (n - 1)) * studentQuantile(1 - tail, n - 1));
      return { low: mean + quantileSorted(shifts, wider), high: mean + quantileSorted(shifts, 1 - wider) };
    }
    case "bca": {
      const shifts = resampled().shifts.toSorted();
      const bias = biasOf(shifts);
      const a = skewness / (6 * Math.sqrt(n));
      const level = (z: number): number => normalCdf(bias + (bias + z) / (1 - a * (bias + z)));
      return {
        low: mean + quantileSorted(shifts, level(normalQuantile(tail))),
        high: mean + quantileSorted(shifts, level(normalQuantile(1 - tail))),
      };
    }
  }
}

/** Each resample's shift in units of its own error, sorted; one without any spread is as far off as can be. */
function studentized({ shifts, errors }: Resamples): Float64Array {
  return shifts
    .map((shift, i) => {
      const error = errors[i] ?? 0;
      return error > 0 ? shift / error : Math.abs(shift) < 1e-12 ? 0 : Math.sign(shift) * Infinity;
    })
    .sort();
}

/** z₀ of BCa; half of the resamples that equal the estimate count as below it, since rates are discrete. */
function biasOf(sorted: Float64Array): number {
  let below = 0;
  for (const x of sorted) below += x < -1e-12 ? 1 : x <= 1e-12 ? 0.5 : 0;
  const share = Math.min(1 - 1e-9, Math.max(1e-9, below / sorted.length));
  return normalQuantile(share);
}
