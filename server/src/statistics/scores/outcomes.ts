import type { Outcome } from "../../../../shared/model/rollout.ts";
import { passAtK, passHatK } from "./passAtK.ts";

/** Samples by what became of them. `unknown` counts samples whose evaluator failed; they are neither pass nor fail. */
export interface OutcomeCounts {
  readonly pass: number;
  readonly fail: number;
  readonly unknown: number;
}

/** What k samples of one item came to. */
export interface ItemOutcomes extends OutcomeCounts {
  readonly item: string;
  /** The same by the seed of the run that sampled them; absent where nobody looked. */
  readonly bySeed?: readonly (OutcomeCounts & { readonly seed: number | null })[];
}

/** macro: mean over items of the item's mean. micro: mean over rollouts. */
export type Aggregator = "macro" | "micro";

/**
 * How the samples of items become one number. Those with a k are means over the items that have k known samples: of the
 * rate (average), of pass@k (any) and of pass^k (all).
 */
export type ItemMetric = Aggregator | { readonly of: "average" | "any" | "all"; readonly k: number };

/** Known samples that an item needs to have a value. */
export const leastSamples = (metric: ItemMetric): number => (typeof metric === "string" ? 1 : metric.k);

/** The value of one item that has as many known samples as the metric needs. */
export function itemValue({ pass, known }: ItemTally, metric: ItemMetric): number {
  if (typeof metric === "string" || metric.of === "average") return pass / known;
  return (metric.of === "any" ? passAtK : passHatK)(known, pass, metric.k);
}

/** Passes and known samples of one item, the unit that is resampled. */
export interface ItemTally {
  readonly pass: number;
  readonly known: number;
}

/** Counts rollouts by item and seed, in the order in which items and seeds are met. */
export function collectOutcomes(
  rollouts: Iterable<{ readonly item: string; readonly seed: number | null; readonly outcome: Outcome }>,
): ItemOutcomes[] {
  const items = new Map<string, Map<number | null, { pass: number; fail: number; unknown: number }>>();
  for (const { item, seed, outcome } of rollouts) {
    const seeds =
      items.get(item) ?? new Map<number | null, { pass: number; fail: number; unknown: number }>();
    const counts = seeds.get(seed) ?? { pass: 0, fail: 0, unknown: 0 };
    counts[outcome]++;
    items.set(item, seeds.set(seed, counts));
  }
  return [...items].map(([item, seeds]) => {
    const bySeed = [...seeds].map(([seed, counts]) => ({ seed, ...counts }));
    const total = (of: Outcome): number => bySeed.reduce((n, counts) => n + counts[of], 0);
    return { item, pass: total("pass"), fail: total("fail"), unknown: total("unknown"), bySeed };
  });
}

/** Items with as many known outcomes as the metric needs. */
export function tally(outcomes: readonly ItemOutcomes[], metric: ItemMetric): ItemTally[] {
  return outcomes
    .map((o) => ({ pass: o.pass, known: o.pass + o.fail }))
    .filter((o) => o.known >= leastSamples(metric));
}

/** The same with every unknown outcome counted as a pass, or as a fail. */
export function tallyAs(
  outcomes: readonly ItemOutcomes[],
  unknown: "pass" | "fail",
  metric: ItemMetric,
): ItemTally[] {
  return outcomes
    .map((o) => ({
      pass: o.pass + (unknown === "pass" ? o.unknown : 0),
      known: o.pass + o.fail + o.unknown,
    }))
    .filter((o) => o.known >= leastSamples(metric));
}

/** The metric in [0, 1] of a non-empty list of items that each have the samples it needs. */
export function aggregate(items: readonly ItemTally[], metric: ItemMetric): number {
  let pass = 0;
  let known = 0;
  for (const item of items) {
    pass += metric === "micro" ? item.pass : itemValue(item, metric);
    known += metric === "micro" ? item.known : 1;
  }
  return pass / known;
}

/**
 * One value per item whose mean is the metric: the item's own, or for micro its linearised share in the ratio of the sums
 * (the infinitesimal jackknife), so that items with more samples weigh more.
 */
export function itemValues(items: readonly ItemTally[], metric: ItemMetric): Float64Array {
  if (metric !== "micro") return Float64Array.from(items, (i) => itemValue(i, metric));
  const rate = aggregate(items, "micro");
  const each = items.reduce((sum, i) => sum + i.known, 0) / items.length;
  return Float64Array.from(items, (i) => rate + (i.pass - rate * i.known) / each);
}
