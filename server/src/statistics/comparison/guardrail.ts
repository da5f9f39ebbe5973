import type { Interval } from "../distributions/quantile.ts";

export interface GuardrailOptions {
  /** How much worse than the reference it may be, > 0 in the units of the interval. */
  readonly margin: number;
  /** Whether more of the metric is better, as with a score, or worse, as with the rate of a failure. */
  readonly better: "higher" | "lower";
}

/**
 * Non-inferiority: "holds" when the whole interval of the difference to the reference is less than `margin` worse,
 * "violated" when all of it is more, otherwise "cannot_tell". A 95 % interval tests one-sided at 2.5 %, as ICH E9 asks.
 */
export function nonInferiority(
  difference: Interval,
  { margin, better }: GuardrailOptions,
): "holds" | "violated" | "cannot_tell" {
  const [worst, best] =
    better === "higher" ? [difference.low, difference.high] : [-difference.high, -difference.low];
  if (worst > -margin) return "holds";
  return best < -margin ? "violated" : "cannot_tell";
}
