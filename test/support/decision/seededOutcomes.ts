import { seededRandom } from "../../../server/src/base/random.ts";
import type { Tested } from "../../../server/src/decision/testing/testing.ts";
import type { ItemOutcomes } from "../../../server/src/statistics/scores/outcomes.ts";

/** A version whose items each pass with `rate`, moved by `seeds[s]` in seed s; `samples` samples of each item and seed. */
export function seeded(
  name: string,
  {
    items = 120,
    samples = 4,
    rate,
    seeds,
    draw = 1,
  }: {
    readonly items?: number;
    readonly samples?: number;
    readonly rate: (item: number) => number;
    readonly seeds: readonly number[];
    readonly draw?: number;
  },
): Tested {
  const random = seededRandom(draw);
  const outcomes = Array.from({ length: items }, (_, i): ItemOutcomes => {
    const bySeed = seeds.map((shift, s) => {
      let pass = 0;
      for (let k = 0; k < samples; k++) if (random() < rate(i) + shift) pass++;
      return { seed: s + 1, pass, fail: samples - pass, unknown: 0 };
    });
    const sum = (of: "pass" | "fail"): number => bySeed.reduce((n, counts) => n + counts[of], 0);
    return { item: `i${i}`, pass: sum("pass"), fail: sum("fail"), unknown: 0, bySeed };
  });
  return { name, outcomes };
}

/** Items from hard to easy around a mean. */
export const around =
  (mean: number, items = 120) =>
  (i: number): number =>
    mean + 0.4 * (i / (items - 1) - 0.5);
