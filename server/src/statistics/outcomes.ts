import type { Outcome } from "../../../shared/model/rollout.ts";

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

/** Items with at least one known outcome. */
export function tally(outcomes: readonly ItemOutcomes[]): ItemTally[] {
  return outcomes.filter((o) => o.pass + o.fail > 0).map((o) => ({ pass: o.pass, known: o.pass + o.fail }));
}

/** The same with every unknown outcome counted as a pass, or as a fail. */
export function tallyAs(outcomes: readonly ItemOutcomes[], unknown: "pass" | "fail"): ItemTally[] {
  return outcomes
    .map((o) => ({
      pass: o.pass + (unknown === "pass" ? o.unknown : 0),
      known: o.pass + o.fail + o.unknown,
    }))
    .filter((o) => o.known > 0);
}

/** Solve rate in [0, 1] of a non-empty list of items. */
export function aggregate(items: readonly ItemTally[], aggregator: Aggregator): number {
  let pass = 0;
  let known = 0;
  for (const item of items) {
    pass += aggregator === "macro" ? item.pass / item.known : item.pass;
    known += aggregator === "macro" ? 1 : item.known;
  }
  return pass / known;
}

/**
 * One value per item whose mean is the solve rate: the item's rate, or for micro its linearised share in the ratio of the
 * sums (the infinitesimal jackknife), so that items with more samples weigh more.
 */
export function itemValues(items: readonly ItemTally[], aggregator: Aggregator): Float64Array {
  if (aggregator === "macro") return Float64Array.from(items, (i) => i.pass / i.known);
  const rate = aggregate(items, "micro");
  const each = items.reduce((sum, i) => sum + i.known, 0) / items.length;
  return Float64Array.from(items, (i) => rate + (i.pass - rate * i.known) / each);
}
