import { createHash } from "node:crypto";
import { calibrate } from "../../../server/src/decision/testing/calibrate.ts";
import { equivalent } from "../../../server/src/decision/testing/equivalence.ts";
import { noRace, race } from "../../../server/src/decision/testing/race.ts";
import { seedNoise } from "../../../server/src/decision/testing/seedNoise.ts";
import { keptAlthoughAsGood } from "./lookOutcome.ts";
import { evolveOneSeed } from "./oneSeedArm.ts";
import { evolveTested, rulesOf } from "./productArm.ts";
import { Worlds } from "./world.ts";
import { evolutionsPerWorld, reportedWorlds } from "./worlds.ts";

/**
 * A digest of the numbers and decisions that testing answers in one evolution of every world; see
 * `fingerprint`. Sentences are left out: to say the same in other words leaves the tables as they are.
 */
export function evolutionFingerprint(): string {
  const answers: unknown[] = [evolutionsPerWorld];
  for (const [name, { world, ...testing }] of Object.entries(reportedWorlds)) {
    const worlds = new Worlds(world, 77);
    const tested = evolveTested(worlds, world, testing);
    const { trainings } = tested;
    answers.push(name, world, tested, evolveOneSeed(worlds, world, { trainings, confidence: 0.95 }));
    const [parent, candidate] = [worlds.baseline(), worlds.baseline()];
    for (const version of [parent, candidate]) for (let s = 0; s < testing.seeds; s++) worlds.train(version);
    const noise = seedNoise([parent, candidate], "macro");
    const rules = rulesOf(world, testing.seeds);
    const look = {
      chance: 0.05,
      seeds: testing.seeds,
      calibrationSeeds: testing.calibrationSeeds,
      others: 1,
    };
    answers.push(keptAlthoughAsGood(world, look, { count: 20, seed: 77 }));
    const checkpoint = { step: 1, checkpoints: 4, spent: noRace };
    answers.push(race({ candidate, parent, noise, rules, ...checkpoint }));
    answers.push(
      equivalent({
        with: candidate,
        without: parent,
        noise,
        metric: "macro",
        margin: 0.05,
        confidence: 0.95,
      }),
    );
    answers.push(calibrate({ baseline: parent, again: null, rules, secondsPerSeed: 60, atLeast: 0.05 }));
  }
  const text = JSON.stringify(answers, (key, x: unknown) => {
    // The standard error decides nothing: the interval, which is made of it, is among the answers.
    if (key === "error" || isSentence(x)) return undefined;
    return typeof x === "number" ? x.toPrecision(7) : x;
  });
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

function isSentence(x: unknown): boolean {
  return typeof x === "string" && x.includes(" ");
}
