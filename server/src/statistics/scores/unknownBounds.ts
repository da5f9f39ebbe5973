import type { Interval } from "../distributions/quantile.ts";
import { itemInterval } from "../intervals/itemInterval.ts";
import type { MeanIntervalOptions } from "../intervals/meanInterval.ts";
import { itemValues, tallyAs, type ItemMetric, type ItemOutcomes, type ItemTally } from "./outcomes.ts";
import { commonItems, itemDifferences } from "./pairs.ts";

/**
 * Outer interval of a score: the lower end as if every unknown outcome were a fail, the upper end as if each were a pass,
 * both with their sampling error (Horowitz and Manski 2000). Null without any outcome.
 */
export function scoreOuter(
  outcomes: readonly ItemOutcomes[],
  options: MeanIntervalOptions & { readonly aggregator: ItemMetric },
): Interval | null {
  const end = (unknown: "pass" | "fail") => {
    const items = tallyAs(outcomes, unknown, options.aggregator);
    if (items.length === 0) return null;
    return itemInterval(itemValues(items, options.aggregator), "score", options);
  };
  const [worst, best] = [end("fail"), end("pass")];
  return worst === null || best === null ? null : { low: worst.low, high: best.high };
}

/** The same of a paired difference: unknown outcomes help one version and hurt the other. Null without a common item. */
export function differenceOuter(
  a: readonly ItemOutcomes[],
  b: readonly ItemOutcomes[],
  options: MeanIntervalOptions & { readonly aggregator: ItemMetric },
): Interval | null {
  const common = commonItems(a, b);
  const end = (ofA: "pass" | "fail", ofB: "pass" | "fail") => {
    const pairs: { a: ItemTally; b: ItemTally }[] = [];
    for (const both of common) {
      const [before] = tallyAs([both.a], ofA, options.aggregator);
      const [after] = tallyAs([both.b], ofB, options.aggregator);
      if (before !== undefined && after !== undefined) pairs.push({ a: before, b: after });
    }
    if (pairs.length === 0) return null;
    return itemInterval(itemDifferences(pairs, options.aggregator), "difference", options);
  };
  const [worst, best] = [end("pass", "fail"), end("fail", "pass")];
  return worst === null || best === null ? null : { low: worst.low, high: best.high };
}
