import assert from "node:assert/strict";
import { seeded } from "../../../../test/support/decision/seededOutcomes.ts";
import { calibrate } from "./calibrate.ts";
import { replicate } from "./replicate.ts";
import { screen } from "./screen.ts";
import { seedNoise } from "./seedNoise.ts";
import type { Calibrate, Replicate, Screen, SeedNoiseOf, Tested, TestingRules } from "./testing.ts";

/** As the loop holds them. */
const functions: {
  readonly calibrate: Calibrate;
  readonly screen: Screen;
  readonly replicate: Replicate;
  readonly seedNoise: SeedNoiseOf;
} = { calibrate, screen, replicate, seedNoise };

describe("testing a candidate, from the first seed to the last", () => {
  const rules: TestingRules = { metric: "macro", errorRate: 0.05, seeds: 3, candidates: 8, margin: 0.02 };
  const shifts = [0.01, 0, -0.01];
  const upTo = (name: string, rate: number, seeds: number): Tested =>
    seeded(name, { rate: () => rate, seeds: shifts.slice(0, seeds), draw: name.length });
  /** What is answered after each seed of a version that solves so much, beside a baseline of 40 %. */
  function answers(rate: number): string[] {
    const others = [upTo("o", 0.4, 3), upTo("oo", 0.4, 3)];
    const noiseWith = (...more: Tested[]) => functions.seedNoise([...others, ...more], "macro");
    const { cost } = functions.calibrate({
      ...{ baseline: upTo("baseline", 0.4, 2), again: null, rules, secondsPerSeed: null, atLeast: null },
    });
    assert.ok(cost.trainings.usual <= cost.trainings.most);
    const first = functions.screen({
      ...{ candidate: upTo("v2", rate, 1), parent: upTo("baseline", 0.4, 2), noise: noiseWith(), rules },
    });
    const said: string[] = [first.verdict];
    for (
      let seeds = 2;
      seeds <= 3 && (said.at(-1) === "screened" || said.at(-1) === "another_seed");
      seeds++
    ) {
      const [candidate, parent] = [upTo("v2", rate, seeds), upTo("baseline", 0.4, seeds)];
      const plan = { place: 1, keptBefore: 0, looksDone: seeds - 2, looksAtMost: 2 };
      const noise = noiseWith(candidate, parent);
      said.push(functions.replicate({ candidate, parent, noise, rules, ...plan }).verdict);
    }
    return said;
  }
  it("rejects what is no better by its first seed", () => assert.deepEqual(answers(0.38), ["reject"]));
  it("keeps what is much better as soon as a second seed shows it", () =>
    assert.deepEqual(answers(0.8), ["screened", "keep"]));
});
