import type { World } from "./world.ts";

/** 120 items with 4 samples; the seeds of a version differ by 3 points; 3 of 10 candidates are 8 points better, as many worse. */
export const usualWorld: World = {
  ...{ items: 120, samples: 4, seedSd: 0.03, better: 0.3, worse: 0.3, size: 0.08, sizes: "equal" },
  ...{ generations: 5, candidates: 4 },
};

/**
 * The worlds that the tables report. The numbers of the procedure (the screen's chance, when a candidate is hopeless, how
 * looks spend) were chosen on others: normal scores without items, and 150 items with gains of exponential size.
 */
export const reportedWorlds: Readonly<Record<string, { readonly world: World; readonly seeds: number }>> = {
  "no candidate is better or worse": { world: { ...usualWorld, better: 0, worse: 0 }, seeds: 3 },
  "1 of 10 better by 8 points, seeds differ by 1": {
    world: { ...usualWorld, better: 0.1, worse: 0.4, seedSd: 0.01 },
    seeds: 3,
  },
  "the same, seeds differ by 3": { world: { ...usualWorld, better: 0.1, worse: 0.4 }, seeds: 3 },
  "the same, 5 seeds": { world: { ...usualWorld, better: 0.1, worse: 0.4 }, seeds: 5 },
  "the same, seeds differ by 6": {
    world: { ...usualWorld, better: 0.1, worse: 0.4, seedSd: 0.06 },
    seeds: 3,
  },
  "3 of 10 better by 8 points, seeds differ by 1": { world: { ...usualWorld, seedSd: 0.01 }, seeds: 3 },
  "the same (3 of 10), seeds differ by 3": { world: usualWorld, seeds: 3 },
  "the same (3 of 10), 5 seeds": { world: usualWorld, seeds: 5 },
  "3 of 10 better by 4 points": { world: { ...usualWorld, size: 0.04 }, seeds: 3 },
  "1 of 10 better, by 15 points on average, seeds differ by 6": {
    world: { ...usualWorld, better: 0.1, worse: 0.4, seedSd: 0.06, size: 0.15, sizes: "exponential" },
    seeds: 3,
  },
  "first generation all better, later ones never, seeds differ by 1": {
    world: { ...usualWorld, better: 1, worse: 0, goodFirst: true, seedSd: 0.01 },
    seeds: 3,
  },
  "versions differ in how much their seeds differ": { world: { ...usualWorld, unequalSeeds: 0.7 }, seeds: 3 },
  "60 items, 2 samples": { world: { ...usualWorld, items: 60, samples: 2 }, seeds: 3 },
  "4 generations of 2 candidates": { world: { ...usualWorld, generations: 4, candidates: 2 }, seeds: 3 },
};

export const evolutionsPerWorld = 300;
