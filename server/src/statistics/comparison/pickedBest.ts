import { resampleJointly } from "../resampling/jointResample.ts";
import { moments } from "../distributions/moments.ts";
import { normalCdf } from "../distributions/normal.ts";
import { known, refuse, type Answer } from "../intervals/refusal.ts";

export interface PickedBest {
  /** Which one is best, and its mean as measured. */
  readonly index: number;
  readonly value: number;
  /** How much the pick flatters it: by the bootstrap of the pick, and at most, if all were equally good. */
  readonly bias: number;
  readonly biasAtMost: number;
  /** The value less the bias. */
  readonly corrected: number;
  /** How often each one is the best in a resample. */
  readonly wins: readonly number[];
}

/**
 * What having picked the best of m versions, or of s evaluation steps, on the very items that report it has added to its
 * score: in each resample the best is picked anew, and its excess over its own mean is averaged (the winner's curse;
 * Efron and Tibshirani 1993, ch. 10). When several are equally good this sees only part of it (71 % with two), so the bias
 * in that worst case is given too. `values[version][item]`; the same items for all.
 */
export function pickedBest(
  values: readonly Float64Array[],
  { resamples = 4000, seed = 1 }: { resamples?: number; seed?: number } = {},
): Answer<PickedBest> {
  const n = values[0]?.length ?? 0;
  if (n === 0) return refuse("nothing_measured", "There is nothing to pick from.");
  if (values.some((v) => v.length !== n))
    return refuse(
      "not_comparable",
      "The versions were measured on different items; give only the items that all of them have.",
    );
  if (n === 1) return refuse("one_item", "One item says nothing about how items differ.");
  const means = values.map((v) => moments(v).mean);
  const index = argmax(means);
  const { columns, shifts } = resampleJointly(values, { resamples, seed });
  const counts = new Array<number>(columns).fill(0);
  let [bias, biasAtMost] = [0, 0];
  for (let r = 0; r < resamples; r++) {
    const shift = shifts.subarray(r * columns, (r + 1) * columns);
    const picked = argmax(means.map((mean, j) => mean + (shift[j] ?? 0)));
    counts[picked] = (counts[picked] ?? 0) + 1;
    bias += (shift[picked] ?? 0) / resamples;
    biasAtMost += Math.max(...shift) / resamples;
  }
  const value = means[index] ?? 0;
  return known({
    index,
    value,
    bias,
    biasAtMost,
    corrected: value - bias,
    wins: counts.map((count) => count / resamples),
  });
}

/**
 * The expected largest of m independent standard normals, ∫ x · m φ(x) Φ(x)^(m − 1) dx by Simpson's rule (tabulated by
 * Harter 1961): times the standard error, it is how much the best of m equally good versions is flattered at most; errors
 * that go together, as over the same items, flatter less.
 */
export function largestOfNormals(m: number): number {
  const [from, to, steps] = [-9, 12, 4000];
  let sum = 0;
  for (let i = 0; i <= steps; i++) {
    const x = from + ((to - from) * i) / steps;
    const density = (m * Math.exp((-x * x) / 2) * normalCdf(x) ** (m - 1)) / Math.sqrt(2 * Math.PI);
    sum += (i === 0 || i === steps ? 1 : i % 2 === 1 ? 4 : 2) * x * density;
  }
  return (sum * (to - from)) / steps / 3;
}

function argmax(values: readonly number[]): number {
  let best = 0;
  for (const [i, x] of values.entries()) if (x > (values[best] ?? 0)) best = i;
  return best;
}
