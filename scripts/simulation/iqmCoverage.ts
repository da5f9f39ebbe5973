import { compareIqm } from "../../server/src/statistics/comparison/iqmComparison.ts";
import { iqm } from "../../server/src/statistics/scores/iqm.ts";
import type { ItemOutcomes } from "../../server/src/statistics/scores/outcomes.ts";
import { Draws } from "./population.ts";
import { drawCrossed, type SeedScenario } from "./seedCoverage.ts";

export interface IqmCoverage {
  /** Share of the datasets whose interval holds the truth. */
  readonly product: number;
  /** Share of the datasets with a verdict in a direction that is not that of the truth. */
  readonly wrong: number;
}

const truthDraws = 400_000;

/**
 * The difference of the interquartile means over all cells item × seed that there could be. It has no closed form: it is
 * drawn, with every cell an item and a seed of its own; its standard error is below 0.0015.
 */
export function trueIqmDifference(scenario: SeedScenario): number {
  const draws = new Draws(11);
  const [before, after] = [new Float64Array(truthDraws), new Float64Array(truthDraws)];
  for (let i = 0; i < truthDraws; i++) {
    const { a, b } = drawCrossed(draws, { ...scenario, items: 1, seeds: 1 });
    before[i] = a[0]?.[0] ?? 0;
    after[i] = b[0]?.[0] ?? 0;
  }
  return iqm(after) - iqm(before);
}

/** Draws datasets of two versions and counts how often the interval of `--metric iqm` holds the truth. */
export function iqmCoverage(
  scenario: SeedScenario,
  truth: number,
  { datasets, resamples, seed }: { datasets: number; resamples: number; seed: number },
): IqmCoverage {
  const draws = new Draws(seed);
  const counts = { product: 0, wrong: 0 };
  for (let i = 0; i < datasets; i++) {
    const { a, b } = drawCrossed(draws, scenario);
    const found = compareIqm("a", outcomesOf(a, scenario.samples), outcomesOf(b, scenario.samples), {
      confidence: 0.95,
      resamples,
      seed: seed + 7919 * i,
    });
    if (found === null) continue;
    if (found.low <= truth && truth <= found.high) counts.product++;
    if ((truth <= 0 && found.verdict === "improved") || (truth >= 0 && found.verdict === "regressed"))
      counts.wrong++;
  }
  return { product: counts.product / datasets, wrong: counts.wrong / datasets };
}

/** The outcomes behind rates by seed and item. */
export function outcomesOf(rates: readonly Float64Array[], samples: number): ItemOutcomes[] {
  const [first = new Float64Array(0)] = rates;
  return Array.from(first, (_, i) => {
    const bySeed = rates.map((rate, seed) => {
      const pass = Math.round((rate[i] ?? 0) * samples);
      return { seed, pass, fail: samples - pass, unknown: 0 };
    });
    const sum = (of: (cell: (typeof bySeed)[number]) => number): number =>
      bySeed.reduce((total, cell) => total + of(cell), 0);
    return { item: String(i), pass: sum((c) => c.pass), fail: sum((c) => c.fail), unknown: 0, bySeed };
  });
}
