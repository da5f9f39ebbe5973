import { seededRandom } from "../../server/src/base/random.ts";
import type { ResampleOptions } from "../../server/src/statistics/resampling/resample.ts";
import type { SeedRates } from "../../server/src/statistics/intervals/seedSpread.ts";

/**
 * Two-level bootstrap of a paired difference: in each resample the items are drawn anew, the same for both versions, and
 * for each version its seeds (Owen 2007, "The pigeonhole bootstrap"). Sorted differences b − a of the mean rates. Every
 * cell has to be known.
 */
export function resampleCrossed(a: SeedRates, b: SeedRates, options: ResampleOptions): Float64Array {
  const random = seededRandom(options.seed);
  const n = a[0]?.length ?? 0;
  const draw = (rates: SeedRates): Float64Array => {
    const means = new Float64Array(n);
    for (let s = 0; s < rates.length; s++) {
      const seed = rates[Math.floor(random() * rates.length)];
      for (let i = 0; i < n; i++) means[i] = (means[i] ?? 0) + (seed?.[i] ?? 0) / rates.length;
    }
    return means;
  };
  const out = new Float64Array(options.resamples);
  for (let r = 0; r < out.length; r++) {
    const [before, after] = [draw(a), draw(b)];
    let sum = 0;
    for (let j = 0; j < n; j++) {
      const i = (random() * n) | 0;
      sum += (after[i] ?? 0) - (before[i] ?? 0);
    }
    out[r] = sum / n;
  }
  return out.sort();
}
