import type { Interval } from "../distributions/quantile.ts";
import { normalQuantile } from "../../../../shared/model/normalQuantile.ts";

/** A share of `size` independent trials; the size need not be whole. */
export interface Proportion {
  readonly share: number;
  readonly size: number;
}

/** Wilson's score interval (Wilson 1927). All of [0, 1] for a size of 0. */
export function wilson({ share, size }: Proportion, confidence = 0.95): Interval {
  if (size <= 0) return { low: 0, high: 1 };
  const z = normalQuantile(1 - (1 - confidence) / 2);
  const middle = (share + (z * z) / (2 * size)) / (1 + (z * z) / size);
  const half =
    (z / (1 + (z * z) / size)) * Math.sqrt((share * (1 - share)) / size + (z * z) / (4 * size * size));
  // At the ends the bound is exact, but for rounding.
  return { low: share === 0 ? 0 : middle - half, high: share === 1 ? 1 : middle + half };
}

/** Interval of b − a for two independent shares, from their Wilson intervals (Newcombe 1998, method 10). */
export function newcombe(a: Proportion, b: Proportion, confidence = 0.95): Interval {
  const estimate = (of: Proportion): Estimate => ({ value: of.share, ...wilson(of, confidence) });
  return differenceInterval(estimate(a), estimate(b));
}

/** Something measured, with its interval. */
export interface Estimate extends Interval {
  readonly value: number;
}

/**
 * Interval of b − a for two independent estimates that have intervals of one confidence, whatever made these (Zou and Donner
 * 2008, of which Newcombe's method 10 is the case of two shares). Of estimates that go together it is too wide.
 */
export function differenceInterval(a: Estimate, b: Estimate): Interval {
  const d = b.value - a.value;
  return {
    low: d - Math.hypot(b.value - b.low, a.high - a.value),
    high: d + Math.hypot(b.high - b.value, a.value - a.low),
  };
}

/**
 * A share over clusters with the size that independent trials of the same spread would have: between the number of
 * clusters, which it is when the trials of a cluster all agree, and that of trials (Kish 1965, design effect). Null
 * without a trial.
 */
export function clusteredShare(
  clusters: readonly { readonly labelled: number; readonly decided: number }[],
): Proportion | null {
  const used = clusters.filter((c) => c.decided > 0);
  const trials = used.reduce((s, c) => s + c.decided, 0);
  if (trials === 0) return null;
  const share = used.reduce((s, c) => s + c.labelled, 0) / trials;
  const m = used.length;
  const squares = used.reduce((s, c) => s + (c.labelled - share * c.decided) ** 2, 0);
  if (m < 2 || squares === 0 || share === 0 || share === 1) return { share, size: m };
  const variance = ((m / (m - 1)) * squares) / (trials * trials);
  return { share, size: Math.min(trials, Math.max(m, (share * (1 - share)) / variance)) };
}
