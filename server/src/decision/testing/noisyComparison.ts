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
  const seeds = [seedsOf(pairs, a, metric), seedsOf(pairs, b, metric)] as const;
  const error = errorOf(values, seeds, noise);
  const difference = differenceOf(pairs, metric);
  const half = differenceBeyond(tail, error);
  const interval = intervalOf(values, { difference, half, tail });
  const { low, high, bound } = interval;
  const verdict = low > 0 ? "improved" : high < 0 ? "regressed" : "inside_noise";
  const outer = outerOf(a, b, metric, half);
  // A handful of items that differ do not show how much items differ.
  const spreadIsKnown = bound === null || bound === "too_few_items";
  const comparison: Comparison = {
    ...{ against: a.name, difference, low, high, confidence: 1 - 2 * tail },
    ...withSelection(a.outcomes, b.outcomes, verdict),
    items: pairs.length,
    itemsNeeded: spreadIsKnown ? itemsToTell(difference, error, tail) : null,
    seedsNeeded: spreadIsKnown ? seedsToTell(difference, error, tail) : null,
    detectable: spreadIsKnown ? half + normalQuantile(plannedPower) * standardError(error) : null,
    error: standardError(error),
    method: "variance over items and over the seeds of all versions, averaged over what the latter may be",
    seeds: [...seeds],
    doubts: doubtsOf({ interval, outer, seeds, noise }),
    ...(outer === null ? {} : { outer: [...outer] }),
  };
  const alone = chanceBeyond(difference, error);
  const p = interval.widened && low <= 0 ? Math.max(alone, tail) : alone;
  return { comparison, p, error, se: standardError(error), seeds };
}

/** Seeds of a version that have samples of these items; samples of which nobody noted the seed are of one. */
const seedsOf = (pairs: Parameters<typeof seedRates>[0], { outcomes }: Tested, metric: ItemMetric): number =>
  Math.max(1, seedRates(pairs, outcomes, metric).length);

function errorOf(
  values: Float64Array,
  [ofA, ofB]: readonly [number, number],
  noise: SeedNoise,
): DifferenceError {
  const { n, variance } = moments(values);
  return {
    items: variance / n,
    itemDegrees: Math.max(1, n - 1),
    seed: noise.sd ** 2,
    seedDegrees: noise.degrees,
    floor: noise.evaluationSd ** 2,
    shares: 1 / ofA + 1 / ofB,
  };
}

interface BoundedInterval {
  readonly low: number;
  readonly high: number;
  readonly items: number;
  /** Why only the exact bound says anything; null where enough items differ. */
  readonly bound: Doubt | null;
  /** Whether the exact bound is part of it: few items, or few that differ. */
  readonly widened: boolean;
}

function intervalOf(
  values: Float64Array,
  { difference, half, tail }: { readonly difference: number; readonly half: number; readonly tail: number },
): BoundedInterval {
  const confidence = 1 - 2 * tail;
  const bound = whyExact(values, confidence);
  const items = values.length;
  const widened = bound !== null || items < fewestItems;
  const [low, high] = [Math.max(-1, difference - half), Math.min(1, difference + half)];
  if (!widened) return { low, high, items, bound, widened };
  const exact = exactBound(values, "difference", confidence);
  return { low: Math.min(low, exact.low), high: Math.max(high, exact.high), items, bound, widened };
}

function doubtsOf(of: {
  readonly interval: BoundedInterval;
  readonly outer: readonly [number, number] | null;
  readonly seeds: readonly [number, number];
  readonly noise: SeedNoise;
}): Doubt[] {
  const { interval, outer, seeds, noise } = of;
  const { low, high, items, bound } = interval;
  const ofItems: Doubt | null = bound ?? (items < fewestItems ? "too_few_items" : null);
  const oneSeed = Math.max(...seeds) < 2;
  const ofSeeds: Doubt | null = oneSeed ? "one_seed" : noise.degrees < 4 ? "few_seeds" : null;
  const matters = outer !== null && outer[0] <= 0 && outer[1] >= 0 && (low > 0 || high < 0);
  const ofUnknown: Doubt | null = matters ? "unknown_matter" : null;
  return [ofItems, ofSeeds, ofUnknown].filter((doubt) => doubt !== null);
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
