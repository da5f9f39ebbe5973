import { normalQuantile } from "../../../../shared/model/normalQuantile.ts";
import {
  differenceBeyond,
  standardError,
  type DifferenceError,
} from "../../statistics/intervals/seedMixture.ts";

/** At which a needed number of items or seeds, and a resolvable difference, are computed. */
export const plannedPower = 0.8;
const mostSeeds = 1000;
const mostItems = 1e7;

/** The variance over items that neither more seeds nor more samples take away. */
const fixedOf = ({ items, floor, shares }: DifferenceError): number => Math.max(0, items - floor * shares);

/** The same error with `seeds` seeds of each version. */
export function withSeeds(error: DifferenceError, seeds: number): DifferenceError {
  const shares = 2 / seeds;
  return { ...error, items: fixedOf(error) + error.floor * shares, shares };
}

/** The smallest true difference that is told at this tail in 80 of 100 cases. */
export function resolvable(error: DifferenceError, tail: number): number {
  return differenceBeyond(tail, error) + normalQuantile(plannedPower) * standardError(error);
}

/** The variance of a difference of this size that still lets it be told in 80 of 100 cases, by the normal formula. */
const allowed = (effect: number, tail: number): number =>
  (effect / (normalQuantile(1 - tail) + normalQuantile(plannedPower))) ** 2;

/** Seeds of each version that tell `effect`; null where the items alone are too noisy, or nothing is known about seeds. */
export function seedsToTell(effect: number, error: DifferenceError, tail: number): number | null {
  if (error.seedDegrees === 0) return null;
  const room = allowed(effect, tail) - fixedOf(error);
  if (room <= 0) return null;
  const seeds = Math.max(2, Math.ceil((2 * Math.max(error.seed, error.floor)) / room - 1e-9));
  return seeds > mostSeeds ? null : seeds;
}

/** Items that tell `effect` with the seeds that are there; null where seeds alone differ too much. */
export function itemsToTell(effect: number, error: DifferenceError, tail: number): number | null {
  const training = error.seedDegrees === 0 ? 0 : Math.max(0, error.seed - error.floor) * error.shares;
  const room = allowed(effect, tail) - training;
  if (room <= 0) return null;
  const items = Math.max(2, Math.ceil((error.items * (error.itemDegrees + 1)) / room - 1e-9));
  return items > mostItems ? null : items;
}
