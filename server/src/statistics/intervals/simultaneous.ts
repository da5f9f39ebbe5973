import { quantileSorted, type Interval } from "../distributions/quantile.ts";
import { resampleJointly } from "../resampling/jointResample.ts";
import { moments } from "../distributions/moments.ts";
import { known, refuse, type Answer } from "./refusal.ts";

export interface SimultaneousInterval extends Interval {
  readonly value: number;
  /** Chance of a |t| as large as this anywhere in the family, if nothing differed. */
  readonly p: number;
  /** False when every item has the same difference: then the interval is that point, and says nothing. */
  readonly spread: boolean;
}

export interface SimultaneousOptions {
  readonly confidence?: number;
  readonly resamples?: number;
  readonly seed?: number;
}

/**
 * Intervals of the mean differences of m versions to one parent over the same items that hold together: the largest |t| of
 * each resample gives one critical value for all (max-T; Westfall and Young 1993, Romano and Wolf 2005). The best of m may
 * be read off and still has its interval. `differences[version][item]`.
 */
export function simultaneousIntervals(
  differences: readonly Float64Array[],
  { confidence = 0.95, resamples = 4000, seed = 1 }: SimultaneousOptions = {},
): Answer<{ readonly intervals: readonly SimultaneousInterval[]; readonly critical: number }> {
  const n = differences[0]?.length ?? 0;
  if (n === 0) return refuse("nothing_measured", "No version has a measured item.");
  if (differences.some((d) => d.length !== n))
    return refuse(
      "not_comparable",
      "The versions were measured on different items; give only the items that all of them have.",
    );
  if (n === 1) return refuse("one_item", "One item says nothing about how items differ.");
  const each = differences.map((values) => {
    const { mean, variance } = moments(values);
    return { mean, error: Math.sqrt(variance / n) };
  });
  if (each.every(({ error }) => error === 0))
    return refuse("no_spread", "In each version every item has the same difference.");
  const largest = largestRatios(differences, { resamples, seed });
  const critical = quantileSorted(largest, confidence);
  const intervals = each.map(({ mean, error }) => {
    const t = error === 0 ? 0 : Math.abs(mean) / error;
    const beyond = largest.reduce((count, x) => count + (x >= t ? 1 : 0), 0);
    const half = error === 0 ? 0 : Math.min(critical * error, 2);
    return {
      value: mean,
      low: mean - half,
      high: mean + half,
      p: error === 0 ? 1 : (beyond + 1) / (resamples + 1),
      spread: error > 0,
    };
  });
  return known({ intervals, critical });
}

function largestRatios(
  differences: readonly Float64Array[],
  options: { resamples: number; seed: number },
): Float64Array {
  const { columns, shifts, errors } = resampleJointly(differences, options);
  const largest = new Float64Array(options.resamples);
  for (let at = 0; at < shifts.length; at++) {
    const [shift, error] = [Math.abs(shifts[at] ?? 0), errors[at] ?? 0];
    const ratio = error > 0 ? shift / error : shift < 1e-12 ? 0 : Infinity;
    const r = Math.floor(at / columns);
    largest[r] = Math.max(largest[r] ?? 0, ratio);
  }
  return largest.sort();
}
