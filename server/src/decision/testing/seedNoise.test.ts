import assert from "node:assert/strict";
import fc from "fast-check";
import { around, seeded } from "../../../../test/support/decision/seededOutcomes.ts";
import { fuzzRuns } from "../../../../test/support/base/fuzz.ts";
import { seedNoise, unknownNoise } from "./seedNoise.ts";

const version = (seeds: readonly number[], draw: number) =>
  seeded(`v${draw}`, { rate: around(0.5), seeds, draw });

describe("seedNoise", () => {
  it("knows nothing from versions with one seed", () => {
    assert.deepEqual(seedNoise([version([0], 1), version([0.1], 2)], "macro"), unknownNoise);
    assert.deepEqual(seedNoise([], "macro"), unknownNoise);
  });
  it("pools the versions that have two seeds, and leaves out the others", () => {
    const noise = seedNoise([version([0.1, -0.1], 1), version([0], 2), version([0.1, 0, -0.1], 3)], "macro");
    assert.deepEqual([noise.versions, noise.degrees], [2, 3]);
    // Seeds that are 10 points off on either side: (0.02 + 0.02) / 3, and what samples add.
    assert.ok(noise.sd > 0.07 && noise.sd < 0.16, `${noise.sd}`);
    assert.ok(noise.sdHigh !== null && noise.sdHigh > noise.sd);
  });
  it("finds what samples alone explain, where seeds do not differ", () => {
    const many = Array.from({ length: 30 }, (_, i) => version([0, 0, 0], i + 1));
    const { sd, evaluationSd, trainingSd } = seedNoise(many, "macro");
    // Of a rate between 0.3 and 0.7, with 4 samples of each of 120 items: √(0.2367 / 480).
    assert.ok(Math.abs(evaluationSd - 0.0222) < 0.002, `${evaluationSd}`);
    assert.ok(Math.abs(sd - evaluationSd) < 0.005 && trainingSd < 0.012, `${sd} ${trainingSd}`);
  });
  it("finds how much training adds, where seeds differ", () => {
    const shifts = [0.05, -0.05];
    const many = Array.from({ length: 30 }, (_, i) => version(shifts, i + 1));
    assert.ok(Math.abs(seedNoise(many, "macro").trainingSd - 0.0707) < 0.012);
  });
  it("does not depend on the order of versions", () =>
    fc.assert(
      fc.property(
        fc.array(fc.array(fc.double({ min: -0.2, max: 0.2, noNaN: true }), { minLength: 1, maxLength: 3 }), {
          minLength: 1,
          maxLength: 4,
        }),
        (all) => {
          const versions = all.map((seeds, i) => version(seeds, i + 1));
          const [there, back] = [seedNoise(versions, "macro"), seedNoise(versions.toReversed(), "macro")];
          assert.ok(Math.abs(there.sd - back.sd) < 1e-9 && there.degrees === back.degrees);
        },
      ),
      { numRuns: Math.min(30, fuzzRuns()) },
    ));
});
