import { itemInterval } from "../../server/src/statistics/intervals/itemInterval.ts";
import { moments } from "../../server/src/statistics/distributions/moments.ts";
import { itemsForEffect } from "../../server/src/statistics/comparison/power.ts";
import { trueDifference, Draws, type Population } from "./population.ts";
import { drawItems } from "./itemCoverage.ts";

export interface PowerOutcome {
  readonly items: number;
  readonly found: number;
}

/** Asks how many items find the true difference with the given power, and how often that many do. */
export function powerOutcome(
  { population, samples, power }: { population: Population; samples: number; power: number },
  { datasets, resamples, seed }: { datasets: number; resamples: number; seed: number },
): PowerOutcome {
  const draws = new Draws(seed);
  const scenario = { quantity: "difference" as const, population, samples };
  const { variance } = moments(drawItems(draws, { ...scenario, items: 200_000 }));
  const effect = trueDifference(population);
  const needed = itemsForEffect({ effect, sd: Math.sqrt(variance) }, { confidence: 0.95, power });
  if (needed.type === "refused") throw new Error(needed.message);
  let found = 0;
  for (let i = 0; i < datasets; i++) {
    const values = drawItems(draws, { ...scenario, items: needed.items });
    const { low } = itemInterval(values, "difference", { confidence: 0.95, resamples, seed: seed + i });
    if (low > 0) found++;
  }
  return { items: needed.items, found: found / datasets };
}
