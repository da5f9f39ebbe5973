import type { Population } from "./population.ts";

/** How items differ. The difference B − A is drawn for pairs, the score of B alone for scores. */
export const pairPopulations: Readonly<Record<string, Population>> = {
  "no difference": { before: { a: 0.6, b: 0.9 }, after: { a: 0.6, b: 0.9 }, kept: 0.7 },
  "a gain": { before: { a: 0.6, b: 0.9 }, after: { a: 1.2, b: 0.6 }, kept: 0.7 },
  "hardly different": { before: { a: 0.6, b: 0.9 }, after: { a: 0.6, b: 0.9 }, kept: 0.95 },
  "a tenth of the items solved at once": {
    before: { a: 0.05, b: 0.5 },
    after: { a: 5, b: 0.5 },
    kept: 0.9,
  },
};
/** Nearly deterministic: most items always pass or always fail, and few change. */
export const sparsePopulation: Population = {
  before: { a: 0.05, b: 0.05 },
  after: { a: 0.05, b: 0.05 },
  kept: 0.95,
};

export const scorePopulations: Readonly<Record<string, Population>> = {
  "mean 40 %": pairPopulations["no difference"] ?? sparsePopulation,
  "mean 10 %": { before: { a: 0.3, b: 2.7 }, after: { a: 0.3, b: 2.7 }, kept: 1 },
};

export const sampleCounts = [1, 4, 8] as const;
export const itemCounts = [10, 20, 50, 100, 200, 500, 1000] as const;
export const seedCounts = [1, 2, 3, 4, 5] as const;

/** Datasets per scenario: the standard error of a coverage of 95 % is 0.56 % with 1500, 0.77 % with 800. */
export const datasetsFor = (items: number): number => (items >= 500 ? 800 : 1500);
export const resamplesPerDataset = 600;
