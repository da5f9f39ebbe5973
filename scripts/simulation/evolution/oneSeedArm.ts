import { moments } from "../../../server/src/statistics/distributions/moments.ts";
import { studentQuantile } from "../../../server/src/statistics/distributions/student.ts";
import { itemDifferences, pairItems } from "../../../server/src/statistics/scores/pairs.ts";
import { bestOf, type Evolved, type Kept } from "./productArm.ts";
import type { SimulatedVersion, World, Worlds } from "./world.ts";

/**
 * One evolution that trains one seed of each version and keeps what looks better: the paired interval over items lies above
 * zero. `confidence` is 0.95, or what an arm that knows the truth would choose. It has as many trainings as the other arm,
 * spent on more candidates in each generation.
 */
export function evolveOneSeed(
  worlds: Worlds,
  world: World,
  { trainings, confidence }: { readonly trainings: number; readonly confidence: number },
): Evolved {
  const baseline = worlds.baseline();
  worlds.train(baseline);
  let parent: SimulatedVersion = baseline;
  let used = 1;
  const kept: Kept[] = [];
  const each = (trainings - 1) / world.generations;
  for (let generation = 0; generation < world.generations; generation++) {
    const count = Math.floor(each) + (worlds.random() < each % 1 ? 1 : 0);
    const good: SimulatedVersion[] = [];
    for (let i = 0; i < count; i++) {
      const version = worlds.candidate(parent, generation);
      worlds.train(version);
      used++;
      const said = intervalOf(parent, version, confidence);
      if (said.low <= 0) continue;
      good.push(version);
      kept.push({ truth: version.truth - parent.truth, said });
    }
    parent = bestOf(good) ?? parent;
  }
  return { kept, last: [], trainings: used, gain: parent.truth - baseline.truth };
}

function intervalOf(
  a: SimulatedVersion,
  b: SimulatedVersion,
  confidence: number,
): { difference: number; low: number; high: number } {
  const values = itemDifferences(pairItems(a.outcomes, b.outcomes, "macro"), "macro");
  const { n, mean, variance } = moments(values);
  const half = quantileOf(confidence, n - 1) * Math.sqrt(variance / n);
  return { difference: mean, low: mean - half, high: mean + half };
}

const quantiles = new Map<string, number>();
function quantileOf(confidence: number, degrees: number): number {
  const key = `${confidence} ${degrees}`;
  const found = quantiles.get(key) ?? studentQuantile(1 - (1 - confidence) / 2, degrees);
  quantiles.set(key, found);
  return found;
}
