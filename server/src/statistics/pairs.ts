import { aggregate, itemValues, type Aggregator, type ItemOutcomes, type ItemTally } from "./outcomes.ts";
import { refuse, type Refusal } from "./refusal.ts";
import type { SeedRates } from "./seedSpread.ts";

/** An item that both versions have a known outcome of. */
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

/** The items that both versions have a known outcome of. */
export function pairItems(a: readonly ItemOutcomes[], b: readonly ItemOutcomes[]): PairedItem[] {
  return commonItems(a, b)
    .filter((o) => knownOf(o.a) > 0 && knownOf(o.b) > 0)
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
): Refusal | null {
  for (const { name, outcomes } of [a, b]) {
    if (outcomes.length === 0) return refuse("nothing_measured", `${name} has no rollout on these items.`);
    if (outcomes.every((o) => knownOf(o) === 0))
      return refuse("all_unknown", `Every outcome of ${name} is unknown, so it cannot be compared.`);
  }
  if (pairItems(a.outcomes, b.outcomes).length > 0) return null;
  return refuse("no_common_item", `${a.name} and ${b.name} have no item with a known outcome in common.`);
}

/** One value per item whose mean is the difference b − a of the solve rates. */
export function itemDifferences(
  pairs: readonly { readonly a: ItemTally; readonly b: ItemTally }[],
  aggregator: Aggregator,
): Float64Array {
  const a = itemValues(
    pairs.map((p) => p.a),
    aggregator,
  );
  const b = itemValues(
    pairs.map((p) => p.b),
    aggregator,
  );
  return b.map((x, i) => x - (a[i] ?? 0));
}

/** The difference b − a of the solve rates over a non-empty list of pairs. */
export function differenceOf(pairs: readonly PairedItem[], aggregator: Aggregator): number {
  return (
    aggregate(
      pairs.map((p) => p.b),
      aggregator,
    ) -
    aggregate(
      pairs.map((p) => p.a),
      aggregator,
    )
  );
}

/** Rates of the paired items by seed; samples without a seed count as one seed. */
export function seedRates(pairs: readonly PairedItem[], outcomes: readonly ItemOutcomes[]): SeedRates {
  const place = new Map(pairs.map(({ item }, i) => [item, i]));
  const seeds = new Map<number | null, Float64Array>();
  for (const { item, bySeed } of outcomes) {
    const at = place.get(item);
    if (at === undefined) continue;
    for (const { seed, pass, fail } of bySeed ?? []) {
      const rates = seeds.get(seed) ?? new Float64Array(pairs.length).fill(NaN);
      seeds.set(seed, rates);
      if (pass + fail > 0) rates[at] = pass / (pass + fail);
    }
  }
  return [...seeds.values()].filter((rates) => rates.some((x) => !Number.isNaN(x)));
}
