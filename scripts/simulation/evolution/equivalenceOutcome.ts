import { equivalent } from "../../../server/src/decision/testing/equivalence.ts";
import { seedNoise } from "../../../server/src/decision/testing/seedNoise.ts";
import type { Equivalence } from "../../../server/src/decision/testing/testing.ts";
import { Worlds, type World } from "./world.ts";

/** How often the test gives each answer for an edit that is truly worth so much. */
export function equivalenceOutcome(
  world: World,
  of: { readonly worth: number; readonly margin: number; readonly seeds: number },
  { count, seed }: { readonly count: number; readonly seed: number },
): Readonly<Record<Equivalence["verdict"], number>> {
  const worlds = new Worlds(world, seed);
  const answers = { not_needed: 0, needed: 0, cannot_tell: 0 };
  for (let i = 0; i < count; i++) {
    const without = worlds.baseline();
    const kept = worlds.changed(without, of.worth);
    // An evolution has other versions by then that show how much seeds differ.
    const others = [worlds.changed(without, 0), worlds.changed(without, 0)];
    for (const version of [without, kept, ...others])
      for (let s = 0; s < of.seeds; s++) worlds.train(version);
    const noise = seedNoise([without, kept, ...others], "macro");
    const { verdict } = equivalent({
      ...{ with: kept, without, noise, metric: "macro", margin: of.margin, confidence: 0.95 },
    });
    answers[verdict] += 1 / count;
  }
  return answers;
}
