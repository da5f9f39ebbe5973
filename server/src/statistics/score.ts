import type { Score } from "../../../shared/model/ledger.ts";
import { bootstrapClusters } from "./bootstrap.ts";
import { aggregate, tally, type Aggregator, type ItemOutcomes, type ItemTally } from "./outcomes.ts";

export const defaultResamples = 4000;

/** Solve rate with an item-clustered interval, and its bounds when unknown outcomes are counted either way. */
export function scoreOf(
  outcomes: readonly ItemOutcomes[],
  options: { aggregator: Aggregator; confidence?: number; resamples?: number; seed?: number },
): Score | null {
  const items = tally(outcomes);
  if (items.length === 0) return null;
  const { low, high } = bootstrapClusters(items.length, meanOver(items, options.aggregator), {
    confidence: options.confidence ?? 0.95,
    resamples: options.resamples ?? defaultResamples,
    seed: options.seed ?? 1,
  });
  const counted = (unknownPasses: boolean): number =>
    aggregate(
      outcomes
        .map((o) => ({ pass: o.pass + (unknownPasses ? o.unknown : 0), known: o.pass + o.fail + o.unknown }))
        .filter((o) => o.known > 0),
      options.aggregator,
    );
  return {
    metric: "solve_rate",
    value: aggregate(items, options.aggregator),
    low,
    high,
    items: items.length,
    rollouts: items.reduce((n, i) => n + i.known, 0),
    unknown: outcomes.reduce((n, o) => n + o.unknown, 0),
    bounds: [counted(false), counted(true)],
  };
}

function meanOver(items: readonly ItemTally[], aggregator: Aggregator): (indices: Int32Array) => number {
  const pass = Float64Array.from(items, (i) => (aggregator === "macro" ? i.pass / i.known : i.pass));
  const known = Float64Array.from(items, (i) => (aggregator === "macro" ? 1 : i.known));
  return (indices) => {
    let p = 0;
    let k = 0;
    for (const i of indices) {
      p += pass[i] ?? 0;
      k += known[i] ?? 0;
    }
    return p / k;
  };
}
