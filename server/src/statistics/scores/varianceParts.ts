import { moments } from "../distributions/moments.ts";
import { known, refuse, type Answer } from "../intervals/refusal.ts";
import type { ItemTally } from "./outcomes.ts";

export interface VarianceParts {
  /** Variance of the true differences between items: only more items help. */
  readonly between: number;
  /** What the sampling of one item adds to the variance of its difference, with the samples it has. */
  readonly sampling: number;
}

/**
 * Splits the variance of the paired item differences into what items differ and what samples do, by the unbiased p(1 − p)
 * / (k − 1) of each item and version. Tells whether more items or more samples are worth their price.
 */
export function varianceParts(
  pairs: readonly { readonly a: ItemTally; readonly b: ItemTally }[],
): Answer<VarianceParts> {
  if (pairs.length < 2) return refuse("one_item", "One item says nothing about how items differ.");
  if (pairs.some(({ a, b }) => a.known < 2 || b.known < 2))
    return refuse("too_few_samples", "Some items have one sample, so nobody knows how much sampling adds.");
  const noise = ({ pass, known: k }: ItemTally): number => ((pass / k) * (1 - pass / k)) / (k - 1);
  const sampling = pairs.reduce((sum, { a, b }) => sum + noise(a) + noise(b), 0) / pairs.length;
  const { variance } = moments(pairs.map(({ a, b }) => b.pass / b.known - a.pass / a.known));
  return known({ between: Math.max(0, variance - sampling), sampling });
}
