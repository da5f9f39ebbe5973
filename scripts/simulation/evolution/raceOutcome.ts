import { noRace, race } from "../../../server/src/decision/testing/race.ts";
import { seedNoise } from "../../../server/src/decision/testing/seedNoise.ts";
import { rulesOf } from "./productArm.ts";
import { Worlds, type World } from "./world.ts";

/** Log odds below the end of training, at each checkpoint. */
const checkpointLevels = [-1.5, -1, -0.5, 0];

/** How often a candidate that differs by so much from its parent is stopped, and the share of its steps that it then saves. */
export function raceOutcome(
  world: World,
  of: { readonly difference: number; readonly noiseVersions: number; readonly seedsEach: number },
  { count, seed }: { readonly count: number; readonly seed: number },
): { readonly stopped: number; readonly saved: number } {
  const worlds = new Worlds(world, seed);
  const rules = rulesOf(world, 3);
  let [stopped, saved] = [0, 0];
  for (let i = 0; i < count; i++) {
    const parent = worlds.baseline();
    const known = Array.from({ length: of.noiseVersions }, () => worlds.changed(parent, 0));
    for (const version of known) for (let s = 0; s < of.seedsEach; s++) worlds.train(version);
    const noise = seedNoise(known, rules.metric);
    const before = worlds.checkpoints(parent, checkpointLevels);
    const after = worlds.checkpoints(worlds.changed(parent, of.difference), checkpointLevels);
    let spent = noRace;
    for (const [at, outcomes] of after.entries()) {
      const found = race({
        candidate: { name: "candidate", outcomes },
        parent: { name: "parent", outcomes: before[at] ?? [] },
        ...{ step: at + 1, checkpoints: checkpointLevels.length, noise, rules, spent },
      });
      spent = found.spent;
      if (!found.stop) continue;
      stopped++;
      saved += 1 - (at + 1) / checkpointLevels.length;
      break;
    }
  }
  return { stopped: stopped / count, saved: saved / count };
}
