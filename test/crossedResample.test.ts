import assert from "node:assert/strict";
import { moments } from "../server/src/statistics/distributions/moments.ts";
import { resampleCrossed } from "../scripts/simulation/crossedResample.ts";

const rates = (...seeds: readonly (readonly number[])[]): Float64Array[] =>
  seeds.map((s) => Float64Array.from(s));

describe("resampleCrossed", () => {
  it("draws both items and seeds: the variance is that of both", () => {
    // Items without spread, seeds at ±0.1 in a only: the mean of two draws is −0.1, 0 or 0.1, with variance 0.005.
    const a = rates([0.4, 0.4, 0.4], [0.6, 0.6, 0.6]);
    const b = rates([0.5, 0.5, 0.5]);
    const { mean, variance } = moments(resampleCrossed(a, b, { resamples: 20_000, seed: 1 }));
    assert.ok(Math.abs(mean) < 5 * Math.sqrt(0.005 / 20_000));
    assert.ok(Math.abs(variance / 0.005 - 1) < 0.05, `${variance}`);
  });
});
