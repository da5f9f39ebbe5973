import { ProjectSpec } from "../../../shared/spec/project.ts";
import type { Seeds } from "./productArm.ts";
import type { World } from "./world.ts";

/** 120 items with 4 samples; the seeds of a version differ by 3 points; 3 of 10 candidates are 8 points better, as many worse. */
export const usualWorld: World = {
  ...{ items: 120, samples: 4, seedSd: 0.03, better: 0.3, worse: 0.3, size: 0.08, sizes: "equal" },
  ...{ generations: 5, candidates: 4 },
};

/**
 * As the experiment found it: its random searches changed 278 versions, of which 44 scored at least 5 points more on their first
 * seed and 89 at least 5 less, a few of them by 50; and seeds differ as they did there.
 */
const measured: World = {
  ...usualWorld,
  ...{ asMeasured: true, better: 0.15, worse: 0.35, size: 0.1, sizes: "exponential" },
};

/** What a project that sets nothing has. */
const { seeds, calibrationSeeds } = ProjectSpec.shape.testing.parse(undefined);
const usual: Seeds = { seeds, calibrationSeeds };
const few: Seeds = { seeds: 3, calibrationSeeds: 2 };

/**
 * The worlds that the tables report. The numbers of the procedure (the screen's chance, when a candidate is hopeless, how
 * looks spend) were chosen on others: normal scores without items, and 150 items with gains of exponential size.
 */
export const reportedWorlds: Readonly<Record<string, Seeds & { readonly world: World }>> = {
  "no candidate is better or worse": { world: { ...usualWorld, better: 0, worse: 0 }, ...usual },
  "1 of 10 better by 8 points, seeds differ by 1": {
    world: { ...usualWorld, better: 0.1, worse: 0.4, seedSd: 0.01 },
    ...usual,
  },
  "the same, seeds differ by 3": { world: { ...usualWorld, better: 0.1, worse: 0.4 }, ...usual },
  "the same, 3 seeds and 2 of the baseline": { world: { ...usualWorld, better: 0.1, worse: 0.4 }, ...few },
  "the same, seeds differ by 6": {
    world: { ...usualWorld, better: 0.1, worse: 0.4, seedSd: 0.06 },
    ...usual,
  },
  "3 of 10 better by 8 points, seeds differ by 1": { world: { ...usualWorld, seedSd: 0.01 }, ...usual },
  "the same (3 of 10), seeds differ by 3": { world: usualWorld, ...usual },
  "the same (3 of 10), 3 seeds and 2 of the baseline": { world: usualWorld, ...few },
  "3 of 10 better by 4 points": { world: { ...usualWorld, size: 0.04 }, ...usual },
  "1 of 10 better, by 15 points on average, seeds differ by 6": {
    world: { ...usualWorld, better: 0.1, worse: 0.4, seedSd: 0.06, size: 0.15, sizes: "exponential" },
    ...usual,
  },
  "first generation all better, later ones never, seeds differ by 1": {
    world: { ...usualWorld, better: 1, worse: 0, goodFirst: true, seedSd: 0.01 },
    ...usual,
  },
  "versions differ in how much their seeds differ": { world: { ...usualWorld, unequalSeeds: 0.7 }, ...usual },
  "60 items, 2 samples": { world: { ...usualWorld, items: 60, samples: 2 }, ...usual },
  "4 generations of 2 candidates": { world: { ...usualWorld, generations: 4, candidates: 2 }, ...usual },
  "no candidate is better or worse, seeds as measured": {
    world: { ...usualWorld, better: 0, worse: 0, asMeasured: true },
    ...usual,
  },
  "3 of 20 better by 10 points on average, 7 of 20 worse, seeds as measured": { world: measured, ...usual },
  "the same, and a kept version is never doubted": { world: measured, ...usual, doubts: false },
};

export const evolutionsPerWorld = 300;
