import { seededRandom } from "../../server/src/base/random.ts";

/** Difficulty of items: the probability that a sample passes, beta-distributed over items. */
export interface Difficulty {
  readonly a: number;
  readonly b: number;
}

/**
 * Two versions measured on the same items. An item is as difficult for B as for A with probability `kept`; otherwise B
 * draws its difficulty anew, from `after`. That correlates the versions, and the true difference has a closed form.
 */
export interface Population {
  readonly before: Difficulty;
  readonly after: Difficulty;
  readonly kept: number;
  /**
   * Of the seed effect e, which moves an item's pass probability by e·p·(1 − p): the standard deviation over seeds, and
   * over items and seeds (how differently a seed treats items).
   */
  readonly seedSpread?: number;
  readonly itemSeedSpread?: number;
}

export const meanOf = ({ a, b }: Difficulty): number => a / (a + b);

/** The difference B − A over all items and seeds there could be. */
export function trueDifference({ before, after, kept }: Population): number {
  return (1 - kept) * (meanOf(after) - meanOf(before));
}

/** Random draws of the distributions that the simulation needs. */
export class Draws {
  readonly random: () => number;
  constructor(seed: number) {
    this.random = seededRandom(seed);
  }

  /** One of these, each as likely. */
  pick<T>(from: readonly T[]): T {
    const one = from[Math.floor(this.random() * from.length)];
    if (one === undefined) throw new RangeError("There is nothing to draw from.");
    return one;
  }

  /** Box and Muller. */
  normal(): number {
    return Math.sqrt(-2 * Math.log(1 - this.random())) * Math.cos(2 * Math.PI * this.random());
  }

  /** Marsaglia and Tsang 2000; shapes below 1 by their power of a uniform. */
  gamma(shape: number): number {
    if (shape < 1) return this.gamma(shape + 1) * (1 - this.random()) ** (1 / shape);
    const d = shape - 1 / 3;
    const c = 1 / Math.sqrt(9 * d);
    for (;;) {
      const x = this.normal();
      const v = (1 + c * x) ** 3;
      if (v <= 0) continue;
      if (Math.log(1 - this.random()) < 0.5 * x * x + d - d * v + d * Math.log(v)) return d * v;
    }
  }

  beta({ a, b }: Difficulty): number {
    const x = this.gamma(a);
    return x / (x + this.gamma(b));
  }

  passes(p: number, k: number): number {
    let pass = 0;
    for (let s = 0; s < k; s++) if (this.random() < p) pass++;
    return pass;
  }
}
