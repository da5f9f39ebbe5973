import { itemInterval } from "../../server/src/statistics/intervals/itemInterval.ts";
import { moments } from "../../server/src/statistics/distributions/moments.ts";
import { pickedBest } from "../../server/src/statistics/comparison/pickedBest.ts";
import { simultaneousIntervals } from "../../server/src/statistics/intervals/simultaneous.ts";
import { Draws, meanOf, type Population } from "./population.ts";

export interface PickOutcome {
  /** Mean excess of the best over the truth: as measured, less the bootstrap's bias, less the largest bias. */
  readonly raw: number;
  readonly corrected: number;
  readonly least: number;
  /** How often a plain interval of the best, and its simultaneous one, hold the truth. */
  readonly plain: number;
  readonly simultaneous: number;
}

/** Picks the best of `versions` that are all as good as their parent, which they are compared with on the same items. */
export function pickOutcome(
  {
    population,
    versions,
    items,
    samples,
  }: {
    population: Population;
    versions: number;
    items: number;
    samples: number;
  },
  { datasets, resamples, seed }: { datasets: number; resamples: number; seed: number },
): PickOutcome {
  const draws = new Draws(seed);
  const sum = { raw: 0, corrected: 0, least: 0, plain: 0, simultaneous: 0 };
  const truth = meanOf(population.after) - meanOf(population.before);
  for (let i = 0; i < datasets; i++) {
    const difficulty = Float64Array.from({ length: items }, () => draws.beta(population.before));
    const sampled = (): Float64Array => difficulty.map((p) => draws.passes(p, samples) / samples);
    const parent = sampled();
    const differences = Array.from({ length: versions }, () => sampled().map((x, j) => x - (parent[j] ?? 0)));
    const options = { resamples, seed: seed + 7919 * i };
    const best = pickedBest(differences, options);
    const family = simultaneousIntervals(differences, { ...options, confidence: 0.95 });
    if (best.type === "refused" || family.type === "refused") continue;
    const values = differences[best.index] ?? parent;
    const plain = itemInterval(values, "difference", { ...options, confidence: 0.95 });
    const held = family.intervals[best.index];
    sum.raw += moments(values).mean - truth;
    sum.corrected += best.corrected - truth;
    sum.least += best.value - best.biasAtMost - truth;
    if (plain.low <= truth && truth <= plain.high) sum.plain++;
    if (held !== undefined && held.low <= truth && truth <= held.high) sum.simultaneous++;
  }
  return {
    raw: sum.raw / datasets,
    corrected: sum.corrected / datasets,
    least: sum.least / datasets,
    plain: sum.plain / datasets,
    simultaneous: sum.simultaneous / datasets,
  };
}
