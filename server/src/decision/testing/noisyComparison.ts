import { normalQuantile } from "../../../../shared/model/normalQuantile.ts";
import type { Comparison, Doubt } from "../../../../shared/ledger/measures.ts";
import { withSelection } from "../../statistics/comparison/compare.ts";
import { moments } from "../../statistics/distributions/moments.ts";
import { exactBound, fewestItems, whyExact } from "../../statistics/intervals/itemInterval.ts";
import {
  chanceBeyond,
  differenceBeyond,
  standardError,
  type DifferenceError,
} from "../../statistics/intervals/seedMixture.ts";
import { tallyAs, type ItemMetric } from "../../statistics/scores/outcomes.ts";
import {
  commonItems,
  differenceOf,
  itemDifferences,
  pairItems,
  seedRates,
} from "../../statistics/scores/pairs.ts";
import { itemsToTell, plannedPower, seedsToTell } from "./planning.ts";
import type { SeedNoise, Tested } from "./testing.ts";

export interface NoisyComparison {
  readonly comparison: Comparison;
  /** Chance of a difference at least as large if the candidate were exactly as good as its parent; one-sided. */
  readonly p: number;
  readonly error: DifferenceError;
  /** Standard error, as estimated. */
  readonly se: number;
  /** Seeds of the parent and of the candidate. */
  readonly seeds: readonly [number, number];
}

/**
 * b − a over items and seeds, with the spread between seeds that all versions of an evolution show together. `tail` is the
 * chance of an error beyond each end: the interval's confidence is 1 − 2 · tail, and `improved` and p ≤ tail are the same.
 * Null where no item has a known outcome in both.
 */
export function compareWithNoise(
  a: Tested,
  b: Tested,
  { metric, noise, tail }: { readonly metric: ItemMetric; readonly noise: SeedNoise; readonly tail: number },
): NoisyComparison | null {
  const pairs = pairItems(a.outcomes, b.outcomes, metric);
  if (pairs.length === 0) return null;
  const values = itemDifferences(pairs, metric);
  const seeds = [seedRates(pairs, a.outcomes, metric), seedRates(pairs, b.outcomes, metric)].map((rates) =>
    Math.max(1, rates.length),
  );
  const [ofA = 1, ofB = 1] = seeds;
  const { n, variance } = moments(values);
  const error: DifferenceError = {
    items: variance / n,
    itemDegrees: Math.max(1, n - 1),
    seed: noise.sd ** 2,
    seedDegrees: noise.degrees,
    floor: noise.evaluationSd ** 2,
    shares: 1 / ofA + 1 / ofB,
  };
  const difference = differenceOf(pairs, metric);
  const half = differenceBeyond(tail, error);
  const confidence = 1 - 2 * tail;
  const bound = whyExact(values, confidence);
  const widen = bound !== null || n < fewestItems;
  const exact = widen ? exactBound(values, "difference", confidence) : { low: 0, high: 0 };
  const low = Math.max(-1, widen ? Math.min(difference - half, exact.low) : difference - half);
  const high = Math.min(1, widen ? Math.max(difference + half, exact.high) : difference + half);
  const told = withSelection(
    a.outcomes,
    b.outcomes,
    low > 0 ? "improved" : high < 0 ? "regressed" : "inside_noise",
  );
  const outer = outerOf(a, b, metric, half);
  const hidden = outer !== null && outer[0] <= 0 && outer[1] >= 0;
  // A handful of items that differ do not show how much items differ.
  const spreadIsKnown = bound === null || bound === "too_few_items";
  const doubts: Doubt[] = [
    ...(bound !== null ? [bound] : n < fewestItems ? (["too_few_items"] as const) : []),
    ...(ofA < 2 && ofB < 2 ? (["one_seed"] as const) : noise.degrees < 4 ? (["few_seeds"] as const) : []),
    ...(hidden && (low > 0 || high < 0) ? (["unknown_matter"] as const) : []),
  ];
  const comparison: Comparison = {
    ...{ against: a.name, difference, low, high, confidence, ...told, items: n },
    itemsNeeded: spreadIsKnown ? itemsToTell(difference, error, tail) : null,
    seedsNeeded: spreadIsKnown ? seedsToTell(difference, error, tail) : null,
    detectable: spreadIsKnown ? half + normalQuantile(plannedPower) * standardError(error) : null,
    method: "variance over items and over the seeds of all versions, averaged over what the latter may be",
    ...{ seeds: [ofA, ofB], doubts },
    ...(outer === null ? {} : { outer: [...outer] }),
  };
  const p =
    widen && low <= 0 ? Math.max(chanceBeyond(difference, error), tail) : chanceBeyond(difference, error);
  return { comparison, p, error, se: standardError(error), seeds: [ofA, ofB] };
}

/** The interval when unknown outcomes help the one version and hurt the other; null without unknown outcomes. */
function outerOf(a: Tested, b: Tested, metric: ItemMetric, half: number): readonly [number, number] | null {
  if (![...a.outcomes, ...b.outcomes].some((o) => o.unknown > 0)) return null;
  const end = (ofA: "pass" | "fail", ofB: "pass" | "fail"): number | null => {
    const pairs = commonItems(a.outcomes, b.outcomes).flatMap((both) => {
      const [before] = tallyAs([both.a], ofA, metric);
      const [after] = tallyAs([both.b], ofB, metric);
      return before === undefined || after === undefined ? [] : [{ a: before, b: after }];
    });
    return pairs.length === 0 ? null : moments(itemDifferences(pairs, metric)).mean;
  };
  const [worst, best] = [end("pass", "fail"), end("fail", "pass")];
  return worst === null || best === null ? null : [Math.max(-1, worst - half), Math.min(1, best + half)];
}
