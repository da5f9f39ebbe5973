import { seededRandom } from "../../base/random.ts";
import { binomialSampler } from "../distributions/binomial.ts";
import { moments } from "../distributions/moments.ts";

export interface ResampleOptions {
  readonly resamples: number;
  readonly seed: number;
}

/** Of each resample, its mean less the mean of the sample, and its standard error. */
export interface Resamples {
  readonly shifts: Float64Array;
  readonly errors: Float64Array;
}

/**
 * Ordinary bootstrap of a mean: n values drawn with replacement, `resamples` times. Few distinct values, as rates of few
 * samples are, are drawn as one multinomial count each instead of n indices: the same distribution, several times faster.
 */
export function resampleMeans(values: ArrayLike<number>, options: ResampleOptions): Resamples {
  const n = values.length;
  const { mean } = moments(values);
  const distinct = new Map<number, number>();
  for (let i = 0; i < n; i++) distinct.set(values[i] ?? 0, (distinct.get(values[i] ?? 0) ?? 0) + 1);
  const out: Resamples = {
    shifts: new Float64Array(options.resamples),
    errors: new Float64Array(options.resamples),
  };
  const random = seededRandom(options.seed);
  if (distinct.size * 6 <= n) drawCounts(distinct, { n, mean, random, out });
  else drawIndices(values, { n, mean, random, out });
  return out;
}

interface Draw {
  readonly n: number;
  readonly mean: number;
  readonly random: () => number;
  readonly out: Resamples;
}

function drawIndices(values: ArrayLike<number>, { n, mean, random, out }: Draw): void {
  const centred = Float64Array.from(values, (x) => x - mean);
  for (let r = 0; r < out.shifts.length; r++) {
    let sum = 0;
    let squares = 0;
    for (let i = 0; i < n; i++) {
      const x = centred[(random() * n) | 0] ?? 0;
      sum += x;
      squares += x * x;
    }
    put(out, r, { n, sum, squares });
  }
}

function drawCounts(distinct: ReadonlyMap<number, number>, { n, mean, random, out }: Draw): void {
  // Large categories first: what is left for the small ones is soon nothing.
  const sorted = [...distinct].sort((a, b) => b[1] - a[1]);
  const centred = Float64Array.from(sorted, ([x]) => x - mean);
  let rest = n;
  const share = Float64Array.from(sorted, ([, count]) => {
    const p = count / rest;
    rest -= count;
    return p;
  });
  const binomial = binomialSampler(n, random);
  for (let r = 0; r < out.shifts.length; r++) {
    let left = n;
    let sum = 0;
    let squares = 0;
    for (let c = 0; c < centred.length && left > 0; c++) {
      const count = binomial(left, share[c] ?? 0);
      const x = centred[c] ?? 0;
      left -= count;
      sum += count * x;
      squares += count * x * x;
    }
    put(out, r, { n, sum, squares });
  }
}

function put(
  out: Resamples,
  r: number,
  { n, sum, squares }: { n: number; sum: number; squares: number },
): void {
  const shift = sum / n;
  out.shifts[r] = shift;
  // What rounding leaves of a variance of nothing is nothing.
  const variance = squares - n * shift * shift;
  out.errors[r] = variance <= 1e-12 * squares ? 0 : Math.sqrt(variance / (n - 1) / n);
}
