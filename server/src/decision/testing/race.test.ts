import assert from "node:assert/strict";
import { around, seeded } from "../../../../test/support/decision/seededOutcomes.ts";
import { noRace, race } from "./race.ts";
import { seedNoise, unknownNoise } from "./seedNoise.ts";
import type { RaceInput, Tested } from "./testing.ts";

const known = [5, 6, 7].map((draw) =>
  seeded(`o${draw}`, { rate: around(0.4), seeds: [0.01, 0, -0.01], draw }),
);
const version = (name: string, gain: number): Tested =>
  seeded(name, { rate: around(0.4 + gain), seeds: [0], draw: name === "v1" ? 3 : 4 });
const at = (gain: number, change: Partial<RaceInput> = {}) =>
  race({
    ...{ candidate: version("v2", gain), parent: version("v1", 0), step: 20, checkpoints: 4 },
    ...{ noise: seedNoise(known, "macro"), spent: noRace },
    rules: { metric: "macro", errorRate: 0.05, seeds: 3, candidates: 8, margin: 0.02 },
    ...change,
  });

describe("race", () => {
  it("stops what is worse, and says at which step", () => {
    const found = at(-0.25);
    assert.deepEqual([found.stop, found.atStep], [true, 20]);
    assert.match(
      found.reason,
      /^Stopped, because it is worse: −\d+\.\d points \[.*\] against v1 at step 20\.$/,
    );
  });
  it("lets go on what is as good or better, and spends a share of the error rate", () => {
    const found = at(0);
    assert.deepEqual([found.stop, found.atStep, found.spent], [false, null, { looks: 1, chance: 0.0125 }]);
    assert.equal(at(0.2).stop, false);
  });
  it("stops nothing while nobody knows how much seeds differ", () => {
    const found = at(-0.25, { noise: unknownNoise });
    assert.deepEqual([found.stop, found.spent], [false, noRace]);
    assert.match(found.reason, /no version has two seeds yet/);
  });
  it("does not spend more than was planned", () => {
    const spent = { looks: 4, chance: 0.05 };
    const found = at(-0.25, { spent });
    assert.deepEqual([found.stop, found.spent], [false, spent]);
  });
  it("goes on where nothing can be compared, without a look", () => {
    const found = at(0, { candidate: { name: "v2", outcomes: [] } });
    assert.deepEqual([found.stop, found.comparison, found.spent], [false, null, noRace]);
  });
});
