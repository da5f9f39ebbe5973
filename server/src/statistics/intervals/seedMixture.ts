import { logGamma } from "../distributions/gamma.ts";
import { normalCdf } from "../distributions/normal.ts";

/** What the error of a paired difference is made of, as variances. */
export interface DifferenceError {
  /** Of the mean over items: what they differ, with the evaluation of all seeds; and its degrees of freedom. */
  readonly items: number;
  readonly itemDegrees: number;
  /** Of the score of one seed, as estimated, with its degrees of freedom (0: nothing is known about seeds). */
  readonly seed: number;
  readonly seedDegrees: number;
  /** Of the score of one seed, what evaluation alone explains: `items` contains it already, and seeds differ by no less. */
  readonly floor: number;
  /** 1 / seeds of a + 1 / seeds of b. */
  readonly shares: number;
}

/** How many values of the unknown variance stand for all of them. */
const nodesPerDistribution = 48;
const nodesByDegrees = new Map<number, readonly (readonly [ratio: number, weight: number])[]>();

/**
 * The chance that the error alone exceeds `difference`. Few seeds leave their variance very uncertain, so the normal tail is
 * averaged over the values that the variance may have, degrees · s² / χ² and no less than the floor (the generalised p value
 * of Tsui and Weerahandi 1989). Satterthwaite's degrees are good enough at 5 %, and not at the small levels that are left
 * for one of many candidates: a variance that came out small by luck is taken for granted there.
 */
export function chanceBeyond(difference: number, error: DifferenceError): number {
  const { items, itemDegrees, seed, seedDegrees, floor, shares } = error;
  const fixed = Math.max(0, items - floor * shares);
  const tail = (variance: number): number => {
    const total = fixed + Math.max(variance, floor) * shares;
    if (total <= 0) return difference > 0 ? 0 : difference < 0 ? 1 : 0.5;
    return normalCdf(-normalOf(difference / Math.sqrt(total), itemDegrees));
  };
  if (seedDegrees === 0) return tail(floor);
  let chance = 0;
  for (const [ratio, weight] of nodesOf(seedDegrees)) chance += weight * tail(seed * ratio);
  return chance;
}

/** The difference that the error alone exceeds with this chance, which is below a half. At most 2: scores differ by 1. */
export function differenceBeyond(chance: number, error: DifferenceError): number {
  const goal = Math.log(chance);
  const above = (x: number): number => Math.log(Math.max(1e-300, chanceBeyond(x, error))) - goal;
  let [low, high] = [0, 1 / 64];
  let [atLow, atHigh] = [Math.log(0.5) - goal, above(high)];
  while (atHigh > 0) {
    if (high >= 2) return 2;
    [low, atLow] = [high, atHigh];
    high *= 2;
    atHigh = above(high);
  }
  // The method of false position in the logarithm, in which tails are nearly straight (Illinois: Dowell and Jarratt 1971).
  for (let i = 0; i < 60 && high - low > 1e-9; i++) {
    const x = (low * atHigh - high * atLow) / (atHigh - atLow);
    const at = above(x);
    if (Math.abs(at) < 1e-9) return x;
    if (at > 0) {
      [low, atLow] = [x, at];
      atHigh /= 2;
    } else {
      [high, atHigh] = [x, at];
      atLow /= 2;
    }
  }
  return (low + high) / 2;
}

/** The standard error with the variance as it was estimated: for reading and planning, not for a verdict. */
export function standardError({ items, seed, seedDegrees, floor, shares }: DifferenceError): number {
  const training = seedDegrees === 0 ? 0 : Math.max(0, seed - floor);
  return Math.sqrt(Math.max(items, floor * shares) + training * shares);
}

/** The normal quantile of a t with so many degrees, to a few thousandths (Wallace 1959). */
function normalOf(t: number, degrees: number): number {
  const size = Math.sqrt(degrees * Math.log1p((t * t) / degrees));
  return ((Math.sign(t) * (8 * degrees + 1)) / (8 * degrees + 3)) * size;
}

/** Values of degrees / χ² with their weights: the midpoint rule over ln χ², from one in 10⁸ to one in 10⁹. */
function nodesOf(degrees: number): readonly (readonly [ratio: number, weight: number])[] {
  const known = nodesByDegrees.get(degrees);
  if (known !== undefined) return known;
  const half = degrees / 2;
  const low = Math.log(2) + (Math.log(1e-8) + logGamma(half + 1)) / half;
  const high = Math.log(degrees + 6 * Math.sqrt(2 * degrees) + 25);
  const step = (high - low) / nodesPerDistribution;
  const nodes = Array.from({ length: nodesPerDistribution }, (_, i): readonly [number, number] => {
    const y = low + (i + 0.5) * step;
    const density = Math.exp(half * (y - Math.log(2)) - Math.exp(y) / 2 - logGamma(half));
    return [degrees / Math.exp(y), density];
  });
  const whole = nodes.reduce((sum, [, density]) => sum + density, 0);
  const weighted = nodes.map(([ratio, density]) => [ratio, density / whole] as const);
  nodesByDegrees.set(degrees, weighted);
  return weighted;
}
