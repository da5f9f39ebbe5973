import { chiSquareQuantile } from "../../statistics/distributions/gamma.ts";
import { seedSpread } from "../../statistics/intervals/seedSpread.ts";
import type { ItemMetric } from "../../statistics/scores/outcomes.ts";
import { pairItems, seedRates } from "../../statistics/scores/pairs.ts";
import type { SeedNoise, Tested } from "./testing.ts";

/** No version has two seeds. */
export const unknownNoise: SeedNoise = {
  ...{ sd: 0, degrees: 0, evaluationSd: 0, evaluationDegrees: 0, trainingSd: 0, sdHigh: null, versions: 0 },
};

/**
 * How much the score of a seed differs from that of another one of the same version, pooled over all versions that have at
 * least two: a version's own two or three seeds say too little. It takes for granted that versions are about equally noisy.
 */
export function seedNoise(versions: readonly Tested[], metric: ItemMetric): SeedNoise {
  let [squares, degrees, residuals, residualDegrees, used] = [0, 0, 0, 0, 0];
  for (const { outcomes } of versions) {
    const rates = seedRates(pairItems(outcomes, outcomes, metric), outcomes, metric);
    if (rates.length < 2) continue;
    const spread = seedSpread(rates);
    squares += spread.squares;
    degrees += spread.seeds - 1;
    residuals += spread.residual * spread.residualDegrees;
    residualDegrees += spread.residualDegrees;
    used++;
  }
  if (degrees === 0) return unknownNoise;
  const variance = squares / degrees;
  const evaluation = residualDegrees === 0 ? 0 : residuals / residualDegrees;
  return {
    sd: Math.sqrt(variance),
    degrees,
    evaluationSd: Math.sqrt(evaluation),
    evaluationDegrees: residualDegrees,
    trainingSd: Math.sqrt(Math.max(0, variance - evaluation)),
    sdHigh: Math.min(1, Math.sqrt(squares / chiSquareQuantile(0.05, degrees))),
    versions: used,
  };
}
