import {
  aggregate,
  itemValue,
  itemValues,
  leastSamples,
  type ItemMetric,
  type ItemOutcomes,
  type ItemTally,
} from "./outcomes.ts";
import { refuse, type Refusal } from "../intervals/refusal.ts";
import type { SeedRates } from "../intervals/seedSpread.ts";

/** An item that both versions have enough known outcomes of. */
export interface PairedItem {
  readonly item: string;
  readonly a: ItemTally;
  readonly b: ItemTally;
}

const knownOf = (o: ItemOutcomes): number => o.pass + o.fail;

/** The items that both versions have, with their outcomes; the order is that of `a`. */
export function commonItems(
  a: readonly ItemOutcomes[],
  b: readonly ItemOutcomes[],
): { readonly a: ItemOutcomes; readonly b: ItemOutcomes }[] {
  const other = new Map(b.map((o) => [o.item, o]));
  return a.flatMap((o) => {
    const p = other.get(o.item);
    return p === undefined ? [] : [{ a: o, b: p }];
  });
}

/** The items that both versions have as many known outcomes of as the metric needs. */
export function pairItems(
  a: readonly ItemOutcomes[],
  b: readonly ItemOutcomes[],
  metric: ItemMetric,
): PairedItem[] {
  const least = leastSamples(metric);
  return commonItems(a, b)
    .filter((o) => knownOf(o.a) >= least && knownOf(o.b) >= least)
    .map((o) => ({
      item: o.a.item,
      a: { pass: o.a.pass, known: knownOf(o.a) },
      b: { pass: o.b.pass, known: knownOf(o.b) },
    }));
}

/** Why two versions have no pair; null when they have one. */
export function whyNotPaired(
  a: { readonly name: string; readonly outcomes: readonly ItemOutcomes[] },
  b: { readonly name: string; readonly outcomes: readonly ItemOutcomes[] },
  metric: ItemMetric,
): Refusal | null {
  for (const { name, outcomes } of [a, b]) {
    if (outcomes.length === 0) return refuse("nothing_measured", `${name} has no rollouts of these items.`);
    if (outcomes.every((o) => knownOf(o) === 0))
      return refuse("all_unknown", `Every outcome of ${name} is unknown, so it cannot be compared.`);
  }
  if (pairItems(a.outcomes, b.outcomes, metric).length > 0) return null;
  const most = Math.max(
    0,
    ...commonItems(a.outcomes, b.outcomes).map((o) => Math.min(knownOf(o.a), knownOf(o.b))),
  );
  if (most > 0)
    return refuse(
      "too_few_samples",
      `No item has ${leastSamples(metric)} samples with a known outcome in both ${a.name} and ${b.name}; the most is ${most}.`,
    );
  return refuse("no_common_item", `${a.name} and ${b.name} have no item with a known outcome in common.`);
}

/** One value per item whose mean is the difference b − a of the metric. */
export function itemDifferences(
  pairs: readonly { readonly a: ItemTally; readonly b: ItemTally }[],
  metric: ItemMetric,
): Float64Array {
  const a = itemValues(
    pairs.map((p) => p.a),
    metric,
  );
  const b = itemValues(
    pairs.map((p) => p.b),
    metric,
  );
  return b.map((x, i) => x - (a[i] ?? 0));
}

/** The difference b − a of the metric over a non-empty list of pairs. */
export function differenceOf(pairs: readonly PairedItem[], metric: ItemMetric): number {
  return (
    aggregate(
      pairs.map((p) => p.b),
      metric,
    ) -
    aggregate(
      pairs.map((p) => p.a),
      metric,
    )
  );
}

/** Values of the paired items by seed, where a seed alone has the samples; those without a seed count as one seed. */
export function seedRates(
  pairs: readonly PairedItem[],
  outcomes: readonly ItemOutcomes[],
  metric: ItemMetric,
): SeedRates {
  const least = leastSamples(metric);
  const place = new Map(pairs.map(({ item }, i) => [item, i]));
  const seeds = new Map<number | null, Float64Array>();
  for (const { item, bySeed } of outcomes) {
    const at = place.get(item);
    if (at === undefined) continue;
    for (const { seed, pass, fail } of bySeed ?? []) {
      const rates = seeds.get(seed) ?? new Float64Array(pairs.length).fill(NaN);
      seeds.set(seed, rates);
      if (pass + fail >= least) rates[at] = itemValue({ pass, known: pass + fail }, metric);
    }
  }
  return [...seeds.values()].filter((rates) => rates.some((x) => !Number.isNaN(x)));
}
