import assert from "node:assert/strict";
import { normalQuantile } from "../../../../shared/model/normalQuantile.ts";
import { seededRandom } from "../../base/random.ts";
import { poolEffects, type MeasuredEffect } from "./randomEffects.ts";

describe("poolEffects", () => {
  it("has nothing to say of nothing", () => assert.equal(poolEffects([]), null));

  it("weighs by inverse variance where uses do not differ", () => {
    // Weights 1/0.0001 and 1/0.0004 with a spread of (0.1/2)²/2 added to each: 0.00125.
    const pooled = poolEffects([
      { difference: 0.1, error: 0.01 },
      { difference: 0.1, error: 0.02 },
    ]);
    assert.ok(pooled !== null);
    assert.ok(Math.abs(pooled.difference - 0.1) < 1e-12);
    assert.ok(Math.abs(pooled.spread - Math.sqrt(0.00125)) < 1e-12);
    const variance = 1 / (1 / 0.00135 + 1 / 0.00165);
    assert.ok(Math.abs(pooled.mean[1] - (0.1 + 1.959964 * Math.sqrt(variance))) < 1e-6);
    assert.ok(Math.abs(pooled.next[1] - (0.1 + 1.959964 * Math.sqrt(variance + 0.00125))) < 1e-6);
  });

  it("does not let an error of zero decide alone", () => {
    const pooled = poolEffects([
      { difference: 0.5, error: 0 },
      { difference: 0, error: 0.02 },
    ]);
    assert.ok(pooled !== null && pooled.difference < 0.4);
  });

  /** How often the interval of the next use holds its true effect: over seeded skills that nothing here was chosen by. */
  function coverage(uses: number, mean: number, spread: number): number {
    const random = seededRandom(1 + uses);
    const normal = (): number => normalQuantile(Math.min(1 - 1e-12, Math.max(1e-12, random())));
    const rounds = 4000;
    let held = 0;
    for (let round = 0; round < rounds; round++) {
      const effects = Array.from({ length: uses }, (): MeasuredEffect => {
        const error = 0.01 + 0.03 * random();
        return { difference: mean + spread * normal() + error * normal(), error };
      });
      const [low, high] = poolEffects(effects)?.next ?? [0, 0];
      const truth = mean + spread * normal();
      if (truth >= low && truth <= high) held++;
    }
    return held / rounds;
  }

  it("says where the next use falls, at least 84 times in 100, for skills that differ by up to half of their effect", () => {
    for (const uses of [1, 2, 3, 5, 10, 20])
      for (const spread of [0, 0.02, 0.05]) {
        const share = coverage(uses, 0.1, spread);
        assert.ok(share >= 0.84, `${uses} uses, spread ${spread}: ${share}`);
      }
  });
});
