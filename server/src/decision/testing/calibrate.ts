import { moments } from "../../statistics/distributions/moments.ts";
import type { DifferenceError } from "../../statistics/intervals/seedMixture.ts";
import type { ItemMetric } from "../../statistics/scores/outcomes.ts";
import { itemDifferences, pairItems } from "../../statistics/scores/pairs.ts";
import { calibrationSentences } from "./calibrationSentences.ts";
import { chanceOf } from "./errorSpending.ts";
import { itemsToTell, resolvable, seedsToTell, withSeeds } from "./planning.ts";
import { screenChance } from "./screen.ts";
import { seedNoise } from "./seedNoise.ts";
import type { CalibrateInput, Calibration, SeedNoise, TestingRules } from "./testing.ts";

/**
 * Before the first generation: how much seeds differ, what the project's items and seeds can tell, and what it costs. How
 * much items differ between two versions is taken from how much they differ between two seeds of the baseline: a change
 * that moves some items up and others down needs more.
 */
export function calibrate(input: CalibrateInput): Calibration {
  const { baseline, again, rules, secondsPerSeed, atLeast } = input;
  const noise = seedNoise([baseline], rules.metric);
  const items = pairItems(baseline.outcomes, baseline.outcomes, rules.metric).length;
  const error = noise.degrees === 0 || items < 2 ? null : errorOf(noise, items, rules);
  // The first candidate of an evolution has the smallest chance, and what is told of it is told of every one.
  const tail = chanceOf({ place: 1, keptBefore: 0 }, rules);
  const trained = noise.degrees + 1;
  const measured = again === null ? null : againSd(again, rules.metric);
  // A trainer that draws by its seed measures the same twice: that says nothing about the noise of an evaluation.
  const isRepeated = measured === 0;
  const found: Omit<Calibration, "sentences"> = {
    noise,
    evaluationSd: measured === null || isRepeated ? noise.evaluationSd : measured,
    items,
    resolvable: error === null ? null : cappedAtOne(resolvable(withSeeds(error, rules.seeds), tail)),
    needed:
      error === null || atLeast === null
        ? null
        : {
            seeds: seedsToTell(atLeast, error, tail),
            items: itemsToTell(atLeast, withSeeds(error, rules.seeds), tail),
          },
    cost: costOf({ rules, secondsPerSeed, trained }),
  };
  return { ...found, sentences: calibrationSentences(found, { rules, atLeast, trained, isRepeated }) };
}

const cappedAtOne = (difference: number): number | null => (difference >= 1 ? null : difference);

/** Of a difference of two versions with one seed each that are equally good. */
function errorOf(noise: SeedNoise, items: number, { candidates, seeds }: TestingRules): DifferenceError {
  const floor = noise.evaluationSd ** 2;
  // By the time that a candidate is decided, it and its parent have further seeds, and so have its siblings.
  const seedDegrees = noise.degrees + Math.min(candidates, 2) * (seeds - 1);
  return {
    ...{ items: 2 * floor, itemDegrees: items - 1, seed: noise.sd ** 2, seedDegrees, floor, shares: 2 },
  };
}

/** Standard deviation of a score from two evaluations of one policy, by the items that both have. */
function againSd({ first, second }: NonNullable<CalibrateInput["again"]>, metric: ItemMetric): number {
  const pairs = pairItems(first, second, metric);
  if (pairs.length < 2) return 0;
  const { n, variance } = moments(itemDifferences(pairs, metric));
  return Math.sqrt(variance / 2 / n);
}

/** Usual: nine of ten candidates are no better, three of ten of those pass the screen and get one more seed. */
function costOf(of: {
  readonly rules: TestingRules;
  readonly secondsPerSeed: number | null;
  readonly trained: number;
}): Calibration["cost"] {
  const { seeds, candidates } = of.rules;
  const better = candidates * 0.1;
  const ofBaseline = Math.max(0, seeds - of.trained);
  const usual = Math.ceil(
    candidates + better * (seeds - 1) + (candidates - better) * screenChance + ofBaseline,
  );
  const most = candidates * seeds + ofBaseline;
  const trainings = { usual: Math.min(usual, most), most };
  const { secondsPerSeed } = of;
  return {
    trainings,
    seconds:
      secondsPerSeed === null
        ? null
        : { usual: trainings.usual * secondsPerSeed, most: trainings.most * secondsPerSeed },
  };
}
