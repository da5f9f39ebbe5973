import assert from "node:assert/strict";
import { moments } from "../distributions/moments.ts";
import { studentQuantile } from "../distributions/student.ts";
import { crossedInterval, seedSpread, type SeedSpread } from "./seedSpread.ts";

const rates = (...seeds: readonly (readonly number[])[]): Float64Array[] =>
  seeds.map((s) => Float64Array.from(s));

describe("seedSpread", () => {
  it("separates the spread of seeds from the noise within an item, by hand", () => {
    // Items 0.25 and 0.75; both seeds are right on average, and 0.25 off on each item: 4 · 0.0625 with one degree.
    assert.deepEqual(seedSpread(rates([0, 1], [0.5, 0.5])), {
      seeds: 2,
      squares: 0,
      residual: 0.125,
      residualDegrees: 1,
    });
    const apart = seedSpread(rates([0.1, 0.5], [0.3, 0.7]));
    assert.ok(Math.abs(apart.squares - 0.02) < 1e-15 && Math.abs(apart.residual) < 1e-15);
  });
  it("judges a seed that lacks an item by the items that it has", () => {
    const spread = seedSpread(rates([0.1, 0.5, NaN], [0.3, 0.7, 0.9]));
    assert.ok(spread.squares > 0.01 && Number.isFinite(spread.residual));
  });
});

describe("crossedInterval", () => {
  it("is the two-sample t interval when items do not differ", () => {
    // Seeds 0.1 and 0.3 against 0.2 and 0.4: pooled variance 0.02, error √(0.02 (1/2 + 1/2)), t = 4.303 with 2 degrees.
    const a = seedSpread(rates([0.1, 0.1], [0.3, 0.3]));
    const b = seedSpread(rates([0.2, 0.2], [0.4, 0.4]));
    const interval = crossedInterval(Float64Array.of(0.1, 0.1), { a, b, confidence: 0.95 });
    const half = 4.302653 * Math.sqrt(0.02);
    assert.ok(interval !== null && Math.abs(interval.low - (0.1 - half)) < 1e-6);
    assert.ok(Math.abs(interval.high - (0.1 + half)) < 1e-6 && interval.seedDegrees === 2);
  });
  it("is the t interval over items when seeds do not differ", () => {
    const values = Float64Array.of(0.1, 0.3, -0.1, 0.2, 0);
    const flat = seedSpread(rates([0, 0, 0, 0, 0], [0, 0, 0, 0, 0], [0, 0, 0, 0, 0]));
    const interval = crossedInterval(values, { a: flat, b: flat, confidence: 0.95 });
    const { mean, variance } = moments(values);
    const half = 2.776445 * Math.sqrt(variance / 5);
    assert.ok(interval !== null && Math.abs(interval.high - (mean + half)) < 1e-6);
    assert.equal(interval.seedSd, 0);
  });
  it("is never wider than without the subtraction, also where next to nothing is left of the seeds' variance", () => {
    // Pooled over 4 degrees, seeds vary by 0.001, and 0.00095 of that is the noise of a seed on its items.
    const spread = (seeds: number): SeedSpread => ({
      ...{ seeds, squares: 0.001 * (seeds - 1), residual: 0.00095, residualDegrees: 39 * (seeds - 1) },
    });
    const values = Float64Array.from({ length: 40 }, (_, i) => 0.3 + (i % 2 === 0 ? 0.045 : -0.045));
    const interval = crossedInterval(values, { a: spread(4), b: spread(2), confidence: 0.95 });
    const item = moments(values).variance / 40;
    const seed = 0.001 * (1 / 4 + 1 / 2);
    const degrees = (item + seed) ** 2 / (item ** 2 / 39 + seed ** 2 / 4);
    const half = studentQuantile(0.975, degrees) * Math.sqrt(item + seed);
    assert.ok(interval !== null && half < 0.08);
    assert.ok(Math.abs(interval.high - (0.3 + half)) < 1e-9, `${interval.high - 0.3}`);
  });
  it("uses the spread of the version with several seeds for the version with one", () => {
    const a = seedSpread(rates([0.1, 0.1], [0.3, 0.3]));
    const one = seedSpread(rates([0.2, 0.2]));
    assert.ok(crossedInterval(Float64Array.of(0, 0), { a, b: one, confidence: 0.95 }) !== null);
    assert.equal(crossedInterval(Float64Array.of(0, 0), { a: one, b: one, confidence: 0.95 }), null);
  });
});
