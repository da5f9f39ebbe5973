import type { PlaceInEvolution, TestingRules } from "./testing.ts";

/** Of the error rate, what is set aside for candidates beyond those that were planned. */
const setAside = 0.1;

/**
 * The chance with which one candidate may be kept although it is no better. The error rate is shared equally among the
 * candidates that the evolution may test, and every candidate that was kept before gives those after it one share more: the
 * share of wrongly kept versions stays at the rate when there are more versions to share it (LOND: Javanmard and Montanari
 * 2015; also for comparisons with one and the same parent: Zrnic, Ramdas and Jordan 2021). If an evolution goes on beyond
 * its plan, what was set aside is shared among the further ones as 6 / (π² i²).
 */
export function chanceOf(
  { place, keptBefore }: PlaceInEvolution,
  { errorRate, candidates }: Pick<TestingRules, "errorRate" | "candidates">,
): number {
  const planned = Math.max(1, candidates);
  const share =
    place <= planned
      ? (errorRate * (1 - setAside)) / planned
      : (errorRate * setAside * 6) / (Math.PI ** 2 * (place - planned) ** 2);
  return Math.min(errorRate, share * (keptBefore + 1));
}

/** The share of its chance that a candidate has spent after `looks` looks of at most `most`: later looks know more. */
const spentAfter = (looks: number, most: number): number => (looks / most) ** 2.5;

/**
 * What is left of a candidate's chance for the next look, so that all looks together spend it and not more (Lan and DeMets
 * 1983; without their gain from looks that share data). 0 when no look is left.
 */
export function chanceOfLook(chance: number, looksDone: number, looksAtMost: number): number {
  if (looksDone >= looksAtMost) return 0;
  return chance * (spentAfter(looksDone + 1, looksAtMost) - spentAfter(looksDone, looksAtMost));
}
