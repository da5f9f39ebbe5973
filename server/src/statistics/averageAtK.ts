import { quantileSorted } from "./quantile.ts";
import { iqm } from "./iqm.ts";
import { known, refuse, type Answer } from "./refusal.ts";

/**
 * How k samples of each item become one number. mean: mean over items of the mean over samples. median: median over items
 * of the same. iqm: interquartile mean of all samples of all items. best, worst: mean over items of the best and the worst
 * of k samples.
 */
export const sampleAggregators = ["mean", "median", "iqm", "best", "worst"] as const;
export type SampleAggregator = (typeof sampleAggregators)[number];

export interface AverageAtK {
  readonly value: number;
  readonly aggregator: SampleAggregator;
  readonly k: number;
  readonly items: number;
  /** Items left out because they have fewer than k known samples. */
  readonly short: number;
}

/**
 * Avg@k over the known sample scores of each item. An item with more than k samples counts with what k of them are
 * expected to give; one with fewer is left out.
 */
export function averageAtK(
  items: readonly (readonly number[])[],
  { k, aggregator }: { k: number; aggregator: SampleAggregator },
): Answer<AverageAtK> {
  if (items.length === 0) return refuse("nothing_measured", "There is no item.");
  const enough = items.filter((samples) => samples.length >= k);
  if (!Number.isInteger(k) || k < 1 || enough.length === 0)
    return refuse("too_few_samples", `No item has ${k} samples with a known outcome.`);
  return known({
    value: collapse(enough, k, aggregator),
    aggregator,
    k,
    items: enough.length,
    short: items.length - enough.length,
  });
}

function collapse(items: readonly (readonly number[])[], k: number, aggregator: SampleAggregator): number {
  switch (aggregator) {
    case "mean":
      return mean(items.map(mean));
    case "median":
      return quantileSorted(
        items.map(mean).sort((a, b) => a - b),
        0.5,
      );
    case "iqm":
      return iqm(items.flat());
    case "best":
      return mean(items.map((samples) => bestOf(samples, k)));
    case "worst":
      return mean(
        items.map(
          (samples) =>
            -bestOf(
              samples.map((x) => -x),
              k,
            ),
        ),
      );
  }
}

const mean = (values: readonly number[]): number => values.reduce((sum, x) => sum + x, 0) / values.length;

/**
 * Expected best of k samples drawn without replacement: the i-th smallest of n is the best of C(i − 1, k − 1) of the
 * C(n, k) subsets. For passes and fails this is pass@k.
 */
export function bestOf(samples: readonly number[], k: number): number {
  const sorted = samples.toSorted((a, b) => a - b);
  const n = sorted.length;
  // From the largest down: C(n − 1, k − 1) / C(n, k) = k / n, then each by its ratio to the one before.
  let weight = k / n;
  let sum = 0;
  for (let i = n; i >= k; i--) {
    sum += weight * (sorted[i - 1] ?? 0);
    weight *= (i - k) / (i - 1 || 1);
  }
  return sum;
}
