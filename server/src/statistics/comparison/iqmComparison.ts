import type { Comparison } from "../../../../shared/ledger/measures.ts";
import { doubtsOf, hasSeeds, overSeeds, verdictOf, withSelection } from "./compare.ts";
import { iqm } from "../scores/iqm.ts";
import { defaultResamples, itemInterval, type ItemInterval } from "../intervals/itemInterval.ts";
import type { ItemOutcomes } from "../scores/outcomes.ts";
import { commonItems, pairItems, seedRates } from "../scores/pairs.ts";
import type { Interval } from "../distributions/quantile.ts";
import { seedSpread, type CrossedInterval, type SeedRates } from "../intervals/seedSpread.ts";

export interface IqmOptions {
  readonly confidence: number;
  readonly candidates?: number;
  readonly resamples?: number;
  readonly seed?: number;
}

/**
 * Paired comparison b − a of the interquartile means over the cells items × seeds (Agarwal et al. 2021), a cell being the
 * share of passes of one item in one seed. An interquartile mean moves with its cells as twice their mean does after each
 * cell beyond a quartile has been set to it (the influence function of the trimmed mean, Huber 1981, §3.3), so that its
 * interval is that of a paired difference over items and seeds. Null when no item has a known outcome in both.
 */
export function compareIqm(
  name: string,
  a: readonly ItemOutcomes[],
  b: readonly ItemOutcomes[],
  options: IqmOptions,
): Comparison | null {
  const confidence = 1 - (1 - options.confidence) / Math.max(1, options.candidates ?? 1);
  const sampling = { confidence, resamples: options.resamples ?? defaultResamples, seed: options.seed ?? 1 };
  const found = differenceOf(a, b, sampling);
  if (found === null) return null;
  const { difference, interval, overItems, crossed, items, seeds } = found;
  const told = withSelection(a, b, verdictOf(interval, { ...overItems, exact: found.exact }, items));
  const { verdict } = told;
  const outer = outerOf(a, b, interval, sampling);
  const several = hasSeeds(a) || hasSeeds(b);
  return {
    against: name,
    difference,
    low: interval.low,
    high: interval.high,
    confidence,
    ...told,
    items,
    itemsNeeded: null,
    method: `${crossed === null ? overItems.method : "variance over items and seeds, with Satterthwaite's degrees"}, linearised`,
    seeds,
    doubts: doubtsOf({ overItems, crossed, verdict, outer, several }),
    ...(outer === null ? {} : { outer: [outer.low, outer.high] }),
  };
}

interface IqmDifference {
  readonly difference: number;
  readonly interval: Interval;
  readonly exact: Interval;
  readonly overItems: ItemInterval;
  readonly crossed: CrossedInterval | null;
  readonly items: number;
  readonly seeds: [number, number];
}

function differenceOf(
  a: readonly ItemOutcomes[],
  b: readonly ItemOutcomes[],
  sampling: { readonly confidence: number; readonly resamples: number; readonly seed: number },
): IqmDifference | null {
  const pairs = pairItems(a, b, "macro");
  if (pairs.length === 0) return null;
  const rates = (of: readonly ItemOutcomes[], side: "a" | "b"): SeedRates => {
    const seeds = seedRates(pairs, of, "macro");
    return seeds.length > 0 ? seeds : [Float64Array.from(pairs, (p) => p[side].pass / p[side].known)];
  };
  const [before, after] = [rates(a, "a"), rates(b, "b")];
  const difference = iqm(cellsOf(after)) - iqm(cellsOf(before));
  const [heldBefore, heldAfter] = [insideQuartiles(before), insideQuartiles(after)];
  const means = itemMeans(heldBefore);
  const values = itemMeans(heldAfter).map((x, i) => x - (means[i] ?? 0));
  const overItems = itemInterval(values, "difference", sampling);
  const [ofA, ofB] = [seedSpread(heldBefore), seedSpread(heldAfter)];
  const crossed = overSeeds(values, overItems, { a: ofA, b: ofB, confidence: sampling.confidence });
  const doubled = ({ low, high }: Interval): Interval => ({
    low: Math.max(-1, difference + 2 * (low - overItems.value)),
    high: Math.min(1, difference + 2 * (high - overItems.value)),
  });
  return {
    difference,
    interval: doubled(crossed ?? overItems),
    exact: doubled(overItems.exact),
    overItems,
    crossed,
    items: pairs.length,
    seeds: [ofA.seeds, ofB.seeds],
  };
}

const cellsOf = (rates: SeedRates): number[] =>
  rates.flatMap((seed) => Array.from(seed).filter((x) => !Number.isNaN(x)));

/** Each cell beyond a quartile set to it; what is missing stays missing. */
function insideQuartiles(rates: SeedRates): SeedRates {
  const sorted = Float64Array.from(cellsOf(rates)).sort();
  const cut = Math.floor(sorted.length / 4);
  const [low = 0, high = 1] = [sorted[cut], sorted[sorted.length - 1 - cut]];
  return rates.map((seed) => seed.map((x) => Math.min(high, Math.max(low, x))));
}

function itemMeans(rates: SeedRates): Float64Array {
  return Float64Array.from({ length: rates[0]?.length ?? 0 }, (_, i) => {
    const cells = rates.map((seed) => seed[i] ?? NaN).filter((x) => !Number.isNaN(x));
    return cells.reduce((sum, x) => sum + x, 0) / cells.length;
  });
}

/** What the unknown outcomes could make of the interval: the worst for b and the best; null when all are known. */
function outerOf(
  a: readonly ItemOutcomes[],
  b: readonly ItemOutcomes[],
  { low, high }: Interval,
  sampling: { readonly confidence: number; readonly resamples: number; readonly seed: number },
): Interval | null {
  const all = commonItems(a, b);
  if (all.every((o) => o.a.unknown + o.b.unknown === 0)) return null;
  const ifThey = (ofA: Settled, ofB: Settled): Interval | undefined =>
    differenceOf(
      all.map((o) => settle(o.a, ofA)),
      all.map((o) => settle(o.b, ofB)),
      sampling,
    )?.interval;
  return {
    low: Math.min(low, ifThey("pass", "fail")?.low ?? low),
    high: Math.max(high, ifThey("fail", "pass")?.high ?? high),
  };
}

type Settled = "pass" | "fail";

/** The item as it would be if its unknown outcomes were all of one kind. */
function settle(outcomes: ItemOutcomes, as: Settled): ItemOutcomes {
  const of = <T extends { pass: number; fail: number; unknown: number }>(counts: T): T => ({
    ...counts,
    pass: counts.pass + (as === "pass" ? counts.unknown : 0),
    fail: counts.fail + (as === "fail" ? counts.unknown : 0),
    unknown: 0,
  });
  const { bySeed } = outcomes;
  return { ...of(outcomes), ...(bySeed === undefined ? {} : { bySeed: bySeed.map(of) }) };
}
