import type { Comparison, Doubt } from "../../../../shared/ledger/measures.ts";
import type { Interval } from "../distributions/quantile.ts";
import { defaultResamples, fewestItems, itemInterval, type ItemInterval } from "../intervals/itemInterval.ts";
import { moments } from "../distributions/moments.ts";
import type { ItemMetric, ItemOutcomes } from "../scores/outcomes.ts";
import { differenceOf, itemDifferences, pairItems, seedRates } from "../scores/pairs.ts";
import { itemsAlone, selectedItems } from "./selectedItems.ts";
import { detectableEffect, itemsForEffect, seedsForEffect } from "./power.ts";
import {
  crossedInterval,
  seedSpread,
  type CrossedInterval,
  type SeedSpread,
} from "../intervals/seedSpread.ts";
import { differenceOuter } from "../scores/unknownBounds.ts";

export interface CompareOptions {
  /** What is compared: the solve rate by an aggregator, or another metric over items. */
  readonly aggregator: ItemMetric;
  /** Confidence of the verdict before correction, e.g. 0.95. */
  readonly confidence: number;
  /** How many candidates the compared one was, or will be, chosen from; the confidence is Bonferroni-corrected for it. */
  readonly candidates?: number;
  readonly resamples?: number;
  readonly seed?: number;
  /** Power at which the needed items and seeds are computed. */
  readonly power?: number;
}

/**
 * Paired comparison b − a of two versions: items are resampled, each with all its samples of both versions, so that
 * neither the difficulty of an item nor the correlation of its samples is mistaken for evidence. Where a
 * version has several seeds, the spread between them widens the interval; with one it is that of these two checkpoints.
 * Null when no item has enough known outcomes in both; `whyNotPaired` says why.
 */
export function comparePaired(
  name: string,
  a: readonly ItemOutcomes[],
  b: readonly ItemOutcomes[],
  options: CompareOptions,
): Comparison | null {
  const pairs = pairItems(a, b, options.aggregator);
  if (pairs.length === 0) return null;
  const confidence = 1 - (1 - options.confidence) / Math.max(1, options.candidates ?? 1);
  const sampling = { confidence, resamples: options.resamples ?? defaultResamples, seed: options.seed ?? 1 };
  const { aggregator } = options;
  const values = itemDifferences(pairs, aggregator);
  const [ofA, ofB] = [
    seedSpread(seedRates(pairs, a, aggregator)),
    seedSpread(seedRates(pairs, b, aggregator)),
  ];
  const overItems = itemInterval(values, "difference", sampling);
  const crossed = overSeeds(values, overItems, { a: ofA, b: ofB, confidence });
  const interval = crossed ?? overItems;
  const told = withSelection(a, b, verdictOf(interval, overItems, pairs.length));
  const { verdict } = told;
  const unknown = unknownOf(a) + unknownOf(b) > 0;
  const outer = unknown ? differenceOuter(a, b, { aggregator, ...sampling }) : null;
  const widened = outer === null ? null : union(outer, interval);
  return {
    against: name,
    difference: differenceOf(pairs, aggregator),
    low: interval.low,
    high: interval.high,
    confidence,
    ...told,
    items: pairs.length,
    ...needed(values, overItems, { confidence, power: options.power ?? 0.8, seeds: crossed }),
    method:
      crossed === null ? overItems.method : "variance over items and seeds, with Satterthwaite's degrees",
    seeds: [ofA.seeds, ofB.seeds],
    doubts: doubtsOf({ overItems, crossed, verdict, outer: widened, several: hasSeeds(a) || hasSeeds(b) }),
    ...(widened === null ? {} : { outer: [widened.low, widened.high] }),
  };
}

/** Whether samples of more than one seed are there, even if none of them alone has enough for the metric. */
export const hasSeeds = (outcomes: readonly ItemOutcomes[]): boolean =>
  new Set(outcomes.flatMap((o) => (o.bySeed ?? []).map((s) => s.seed))).size > 1;

const unknownOf = (outcomes: readonly ItemOutcomes[]): number => outcomes.reduce((n, o) => n + o.unknown, 0);
const union = (x: Interval, y: Interval): Interval => ({
  low: Math.min(x.low, y.low),
  high: Math.max(x.high, y.high),
});

/**
 * The interval over items and seeds, never narrower than that over items; null when no version has two seeds.
 */
export function overSeeds(
  values: Float64Array,
  items: ItemInterval,
  options: { a: SeedSpread; b: SeedSpread; confidence: number },
): CrossedInterval | null {
  const seeds = crossedInterval(values, options);
  if (seeds === null) return null;
  const { low, high } = union(items, seeds);
  return { ...seeds, low: Math.max(-1, low), high: Math.min(1, high) };
}

/** The verdict on items that nobody selected, withheld where they were selected by how a version did; and the items left out. */
export function withSelection(
  a: readonly ItemOutcomes[],
  b: readonly ItemOutcomes[],
  verdict: Comparison["verdict"],
): Pick<Comparison, "verdict" | "selected" | "alone"> {
  const selected = selectedItems(a, b);
  const alone = itemsAlone(a, b);
  const of = alone.every((n) => n === 0) ? {} : { alone };
  return selected === null ? { verdict, ...of } : { verdict: "withheld", selected, ...of };
}

/** With too few items the interval may not hold its level; then only what holds for any distribution counts. */
export function verdictOf(interval: Interval, { exact }: ItemInterval, items: number): Comparison["verdict"] {
  const { low, high } = items < fewestItems ? union(interval, exact) : interval;
  return low > 0 ? "improved" : high < 0 ? "regressed" : "inside_noise";
}

/** What to doubt of a comparison: of its items, its seeds, and what is unknown. */
export function doubtsOf(of: {
  readonly overItems: ItemInterval;
  readonly crossed: CrossedInterval | null;
  readonly verdict: Comparison["verdict"];
  readonly outer: Interval | null;
  readonly several: boolean;
}): Doubt[] {
  const { overItems, crossed, verdict, outer, several } = of;
  const none: Doubt = several ? "seeds_not_told" : "one_seed";
  const seeds: Doubt[] = crossed === null ? [none] : crossed.seedDegrees < 4 ? ["few_seeds"] : [];
  const crossesZero = outer !== null && outer.low <= 0 && outer.high >= 0;
  const unknown: Doubt[] =
    (verdict === "improved" || verdict === "regressed") && crossesZero ? ["unknown_matter"] : [];
  return [...overItems.doubts, ...seeds, ...unknown];
}

/** Items and seeds that would tell a difference of this size, and what these items can tell. */
function needed(
  values: Float64Array,
  { doubts }: ItemInterval,
  { confidence, power, seeds }: { confidence: number; power: number; seeds: CrossedInterval | null },
): Pick<Comparison, "itemsNeeded" | "seedsNeeded" | "detectable"> {
  // A handful of items that differ do not show how much items differ.
  const spreadIsKnown = !doubts.some((d) => d === "one_item" || d === "no_spread" || d === "few_differ");
  if (!spreadIsKnown) return { itemsNeeded: null, seedsNeeded: null, detectable: null };
  const { n, mean: effect, variance } = moments(values);
  const sd = Math.sqrt(variance);
  const options = { confidence, power };
  const items = itemsForEffect({ effect, sd }, options);
  const detectable = detectableEffect({ sd, n }, options);
  const more = seeds === null ? null : seedsForEffect({ effect, sd, n, seedSd: seeds.seedSd }, options);
  return {
    itemsNeeded: items.type === "known" ? items.items : null,
    detectable: detectable.type === "known" ? detectable.effect : null,
    seedsNeeded: more?.type === "known" ? more.seeds : null,
  };
}
