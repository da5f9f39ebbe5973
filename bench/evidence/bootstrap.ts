import { seededRandom } from "../../server/src/base/random.ts";
import { comparePaired } from "../../server/src/statistics/comparison/compare.ts";
import type { ItemOutcomes } from "../../server/src/statistics/scores/outcomes.ts";
import { least, median, type BenchRow } from "../row.ts";

const itemCount = 1000;
const samples = 8;
const resamples = 10_000;

/** Outcomes of a version on the same items as every other: easy ones, hard ones, and those between. */
function version(seed: number, shift: number): ItemOutcomes[] {
  const random = seededRandom(seed);
  return Array.from({ length: itemCount }, (_, i) => {
    const p = Math.min(1, Math.max(0, ((i * 7919) % itemCount) / itemCount + shift));
    let pass = 0;
    for (let s = 0; s < samples; s++) if (random() < p) pass++;
    return { item: `item-${i}`, pass, fail: samples - pass, unknown: 0 };
  });
}

function timed(rounds: number, work: (seed: number) => unknown): number[] {
  const times: number[] = [];
  // The first run compiles.
  for (let r = 0; r <= rounds; r++) {
    const began = performance.now();
    work(r);
    if (r > 0) times.push(performance.now() - began);
  }
  return times;
}

/** A paired comparison of 1,000 items × 8 samples with 10,000 resamples, from the outcomes to the verdict. */
export function benchBootstrap({ rounds }: { rounds: number }): BenchRow[] {
  const [a, b] = [version(1, 0), version(2, 0.03)];
  const compared = timed(rounds, (seed) =>
    comparePaired("a", a, b, { aggregator: "macro", confidence: 0.95, resamples, seed }),
  );
  const size = `${itemCount} items, ${resamples} resamples`;
  return [
    {
      name: "paired bootstrap, outcomes to verdict",
      measured: median(compared),
      target: 100,
      unit: "ms",
      detail: `${size}, ${samples} samples each; least ${least(compared).toFixed(0)} ms of ${rounds}`,
    },
  ];
}
