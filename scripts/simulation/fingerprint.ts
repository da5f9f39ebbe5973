import { createHash } from "node:crypto";
import { overSeeds } from "../../server/src/statistics/comparison/compare.ts";
import { compareIqm } from "../../server/src/statistics/comparison/iqmComparison.ts";
import { itemInterval } from "../../server/src/statistics/intervals/itemInterval.ts";
import { itemsForEffect } from "../../server/src/statistics/comparison/power.ts";
import { meanInterval, meanMethods } from "../../server/src/statistics/intervals/meanInterval.ts";
import { moments } from "../../server/src/statistics/distributions/moments.ts";
import { pickedBest } from "../../server/src/statistics/comparison/pickedBest.ts";
import { seedSpread } from "../../server/src/statistics/intervals/seedSpread.ts";
import { simultaneousIntervals } from "../../server/src/statistics/intervals/simultaneous.ts";
import { outcomesOf } from "./iqmCoverage.ts";
import { drawItems } from "./itemCoverage.ts";
import { Draws } from "./population.ts";
import {
  datasetsFor,
  itemCounts,
  pairPopulations,
  resamplesPerDataset,
  sampleCounts,
  scorePopulations,
  seedCounts,
  sparsePopulation,
} from "./scenarios.ts";
import { drawCrossed, meanOverSeeds } from "./seedCoverage.ts";

const sampling = { confidence: 0.95, resamples: 200, seed: 5 };

/**
 * A digest of what the statistics answer on a few datasets of every scenario, and of how much is simulated. It changes when
 * the answers do, and not when the code is only written differently, so that stale tables are found without simulating
 * them again.
 */
export function fingerprint(): string {
  const answers: unknown[] = [itemCounts.map(datasetsFor), resamplesPerDataset, seedCounts];
  const put = (x: number): void => void answers.push(x.toPrecision(7));
  for (const quantity of ["difference", "score"] as const) {
    const populations = quantity === "score" ? scorePopulations : { ...pairPopulations, sparsePopulation };
    for (const population of Object.values(populations))
      for (const samples of sampleCounts)
        for (const items of itemCounts)
          itemAnswers(drawItems(new Draws(items), { quantity, population, items, samples }), quantity, put);
  }
  for (const population of Object.values(pairPopulations)) {
    for (const seeds of seedCounts) seedAnswers(seeds, population, put);
    const columns = [1, 2, 3].map((seed) =>
      drawItems(new Draws(seed), { quantity: "difference", population, items: 60, samples: 4 }),
    );
    answers.push(pickedBest(columns, sampling), simultaneousIntervals(columns, sampling));
  }
  answers.push(itemsForEffect({ effect: 0.08, sd: 0.4 }, { confidence: 0.95, power: 0.8 }));
  const text = JSON.stringify(answers, (_, x: unknown) => (typeof x === "number" ? x.toPrecision(7) : x));
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

function itemAnswers(values: Float64Array, quantity: "score" | "difference", put: (x: number) => void): void {
  const { low, high } = itemInterval(values, quantity, sampling);
  put(low);
  put(high);
  if (moments(values).variance === 0) return;
  for (const method of meanMethods) put(meanInterval(values, method, sampling).low);
}

function seedAnswers(
  seeds: number,
  population: (typeof pairPopulations)[string],
  put: (x: number) => void,
): void {
  const scenario = { population, items: 50, samples: 4, seeds, seedEffect: 0.1 };
  const { a, b } = drawCrossed(new Draws(seeds), scenario);
  const before = meanOverSeeds(a);
  const values = meanOverSeeds(b).map((x, i) => x - (before[i] ?? 0));
  const items = itemInterval(values, "difference", sampling);
  const spread = { a: seedSpread(a), b: seedSpread(b), confidence: 0.95 };
  const { low, high } = overSeeds(values, items, spread) ?? items;
  put(low);
  put(high);
  const iqm = compareIqm("a", outcomesOf(a, 4), outcomesOf(b, 4), sampling);
  put(iqm?.low ?? NaN);
  put(iqm?.high ?? NaN);
}
