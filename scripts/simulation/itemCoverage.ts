import {
  meanInterval,
  meanMethods,
  type MeanMethod,
} from "../../server/src/statistics/intervals/meanInterval.ts";
import { itemInterval, type ItemQuantity } from "../../server/src/statistics/intervals/itemInterval.ts";
import { moments } from "../../server/src/statistics/distributions/moments.ts";
import { resampleMeans } from "../../server/src/statistics/resampling/resample.ts";
import { Draws, meanOf, trueDifference, type Population } from "./population.ts";

export interface ItemScenario {
  readonly quantity: ItemQuantity;
  readonly population: Population;
  readonly items: number;
  readonly samples: number;
}

export interface ItemCoverage {
  /** Share of the datasets whose interval holds the truth. */
  readonly product: number;
  readonly methods: Readonly<Record<MeanMethod, number>>;
  /** Share of the datasets in which the product trusts resampling, and its coverage in these. */
  readonly trusted: number;
  readonly whenTrusted: number;
  /** Share of the datasets with a verdict although nothing differs, or in the wrong direction. */
  readonly wrong: number;
}

/** One value per item: the score of B, or its difference to A. */
export function drawItems(
  draws: Draws,
  { quantity, population, items, samples }: ItemScenario,
): Float64Array {
  return Float64Array.from({ length: items }, () => {
    const p = draws.beta(population.before);
    if (quantity === "score") return draws.passes(p, samples) / samples;
    const after = draws.random() < population.kept ? p : draws.beta(population.after);
    return (draws.passes(after, samples) - draws.passes(p, samples)) / samples;
  });
}

const truthOf = ({ quantity, population }: ItemScenario): number =>
  quantity === "score" ? meanOf(population.before) : trueDifference(population);

/** Draws datasets of a scenario and counts how often each interval of 95 % holds the truth. */
export function itemCoverage(
  scenario: ItemScenario,
  { datasets, resamples, seed }: { datasets: number; resamples: number; seed: number },
): ItemCoverage {
  const draws = new Draws(seed);
  const truth = truthOf(scenario);
  const counts = { product: 0, trusted: 0, both: 0, wrong: 0 };
  const methods: Record<MeanMethod, number> = { percentile: 0, expanded: 0, bca: 0, studentized: 0, t: 0 };
  for (let i = 0; i < datasets; i++) {
    const values = drawItems(draws, scenario);
    const options = { confidence: 0.95, resamples, seed: seed + 7919 * i };
    const resampled = resampleMeans(values, options);
    const { low, high, doubts } = itemInterval(values, scenario.quantity, { ...options, resampled });
    const holds = low <= truth && truth <= high;
    if (holds) counts.product++;
    if (doubts.length === 0) counts.trusted++;
    if (holds && doubts.length === 0) counts.both++;
    if (scenario.quantity === "difference" && ((truth <= 0 && low > 0) || (truth >= 0 && high < 0)))
      counts.wrong++;
    for (const method of meanMethods) {
      const spread = moments(values).variance > 0;
      const interval = spread ? meanInterval(values, method, { ...options, resampled }) : null;
      if (interval !== null && interval.low <= truth && truth <= interval.high) methods[method]++;
    }
  }
  const share = (n: number): number => n / datasets;
  return {
    product: share(counts.product),
    trusted: share(counts.trusted),
    whenTrusted: counts.trusted === 0 ? 1 : counts.both / counts.trusted,
    wrong: share(counts.wrong),
    methods: {
      percentile: share(methods.percentile),
      expanded: share(methods.expanded),
      bca: share(methods.bca),
      studentized: share(methods.studentized),
      t: share(methods.t),
    },
  };
}
