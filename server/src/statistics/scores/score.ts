import type { Score } from "../../../../shared/ledger/measures.ts";
import { defaultResamples, itemInterval } from "../intervals/itemInterval.ts";
import { aggregate, itemValues, tally, tallyAs, type ItemMetric, type ItemOutcomes } from "./outcomes.ts";
import { scoreOuter } from "./unknownBounds.ts";

/**
 * Solve rate, or another metric, with an item-clustered interval, its bounds when unknown outcomes are counted either way, and these with
 * their sampling error. Null when no outcome is known.
 */
export function scoreOf(
  outcomes: readonly ItemOutcomes[],
  options: { aggregator: ItemMetric; name?: string; confidence?: number; resamples?: number; seed?: number },
): Score | null {
  const { aggregator, confidence = 0.95, resamples = defaultResamples, seed = 1 } = options;
  const items = tally(outcomes, aggregator);
  if (items.length === 0) return null;
  const interval = itemInterval(itemValues(items, aggregator), "score", { confidence, resamples, seed });
  const unknown = outcomes.reduce((n, o) => n + o.unknown, 0);
  const outer = unknown === 0 ? null : scoreOuter(outcomes, { aggregator, confidence, resamples, seed });
  return {
    metric: options.name ?? "solve_rate",
    value: aggregate(items, aggregator),
    low: interval.low,
    high: interval.high,
    items: items.length,
    rollouts: items.reduce((n, i) => n + i.known, 0),
    unknown,
    bounds: [
      aggregate(tallyAs(outcomes, "fail", aggregator), aggregator),
      aggregate(tallyAs(outcomes, "pass", aggregator), aggregator),
    ],
    method: interval.method,
    doubts: [...interval.doubts],
    ...(outer === null ? {} : { outer: [outer.low, outer.high] }),
  };
}
