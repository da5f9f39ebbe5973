import { quantileSorted } from "../../server/src/statistics/distributions/quantile.ts";
import { itemInterval } from "../../server/src/statistics/intervals/itemInterval.ts";
import { overSeeds } from "../../server/src/statistics/comparison/compare.ts";
import { seedSpread } from "../../server/src/statistics/intervals/seedSpread.ts";
import { resampleCrossed } from "./crossedResample.ts";
import { Draws, trueDifference, type Population } from "./population.ts";

export interface SeedScenario {
  readonly population: Population;
  readonly items: number;
  readonly samples: number;
  readonly seeds: number;
  /** Standard deviation of the seed effect e, which moves a pass probability by e·p·(1 − p). */
  readonly seedEffect: number;
}

export interface SeedCoverage {
  /** Of the interval that the product gives; with one seed that is over items only. */
  readonly product: number;
  /** Of the interval over items alone, and of the two-level bootstrap. */
  readonly itemsOnly: number;
  readonly pigeonhole: number;
}

/** How differently a seed treats items: half the width of a uniform effect. */
const itemSeedEffect = 0.3;

function drawRates(draws: Draws, difficulty: Float64Array, scenario: SeedScenario): Float64Array[] {
  return Array.from({ length: scenario.seeds }, () => {
    const e = Math.max(-0.7, Math.min(0.7, draws.normal() * scenario.seedEffect));
    return difficulty.map((p) => {
      const own = (2 * draws.random() - 1) * itemSeedEffect;
      return draws.passes(p + (e + own) * p * (1 - p), scenario.samples) / scenario.samples;
    });
  });
}

export function drawCrossed(draws: Draws, scenario: SeedScenario): { a: Float64Array[]; b: Float64Array[] } {
  const { population, items } = scenario;
  const before = Float64Array.from({ length: items }, () => draws.beta(population.before));
  const after = before.map((p) => (draws.random() < population.kept ? p : draws.beta(population.after)));
  return { a: drawRates(draws, before, scenario), b: drawRates(draws, after, scenario) };
}

export function meanOverSeeds(rates: readonly Float64Array[]): Float64Array {
  const first = rates[0] ?? new Float64Array(0);
  return first.map((_, i) => rates.reduce((sum, seed) => sum + (seed[i] ?? 0), 0) / rates.length);
}

/** Draws datasets of two versions with the same number of seeds and counts how often each interval holds the truth. */
export function seedCoverage(
  scenario: SeedScenario,
  { datasets, resamples, seed }: { datasets: number; resamples: number; seed: number },
): SeedCoverage {
  const draws = new Draws(seed);
  const truth = trueDifference(scenario.population);
  const counts = { product: 0, itemsOnly: 0, pigeonhole: 0 };
  const holds = (low: number, high: number): number => (low <= truth && truth <= high ? 1 : 0);
  for (let i = 0; i < datasets; i++) {
    const { a, b } = drawCrossed(draws, scenario);
    const before = meanOverSeeds(a);
    const values = meanOverSeeds(b).map((x, j) => x - (before[j] ?? 0));
    const options = { confidence: 0.95, resamples, seed: seed + 7919 * i };
    const items = itemInterval(values, "difference", options);
    const both = overSeeds(values, items, { a: seedSpread(a), b: seedSpread(b), confidence: 0.95 }) ?? items;
    counts.itemsOnly += holds(items.low, items.high);
    counts.product += holds(both.low, both.high);
    const resampled = resampleCrossed(a, b, { ...options, resamples: 300 });
    counts.pigeonhole += holds(quantileSorted(resampled, 0.025), quantileSorted(resampled, 0.975));
  }
  return {
    product: counts.product / datasets,
    itemsOnly: counts.itemsOnly / datasets,
    pigeonhole: counts.pigeonhole / datasets,
  };
}
