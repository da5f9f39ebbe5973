import assert from "node:assert/strict";
import { itemInterval } from "./itemInterval.ts";
import { meanInterval } from "./meanInterval.ts";

describe("meanInterval", () => {
  // Eighths, skewed, as the rates of 25 items of 8 samples are.
  const values = [0, 0, 0, 0, 1, 1, 2, 2, 2, 3, 3, 4, 4, 5, 6, 8, 0, 0, 1, 2, 0, 0, 7, 8, 1].map(
    (x) => x / 8,
  );
  // SciPy 1.17.1 with 400,000 resamples: stats.bootstrap (percentile, BCa), stats.t.interval, and numpy for the other two.
  for (const [method, low, high, within] of [
    ["percentile", 0.18, 0.43, 1e-9],
    ["bca", 0.19, 0.445, 1e-9],
    // One step of a mean of eighths: the end lies between two of them.
    ["expanded", 0.175, 0.44, 0.005 + 1e-9],
    ["t", 0.1651209, 0.4348791, 1e-6],
    ["studentized", 0.1817347, 0.4653155, 4e-3],
  ] as const)
    it(`matches SciPy: ${method}`, () => {
      const interval = meanInterval(values, method, { confidence: 0.95, resamples: 100_000, seed: 1 });
      const text = `${interval.low} ${interval.high}`;
      assert.ok(Math.abs(interval.low - low) <= within && Math.abs(interval.high - high) <= within, text);
    });
});

describe("itemInterval", () => {
  const options = { confidence: 0.95, resamples: 2000, seed: 1 };
  const spread = (n: number): Float64Array => Float64Array.from({ length: n }, (_, i) => (i % 7) / 7);
  for (const [what, values, method, doubts] of [
    ["resamples 20 items", spread(20), "studentized bootstrap over items", []],
    ["uses t for 19, and says so", spread(19), "t interval over items", ["too_few_items"]],
    [
      "uses the bound when seven of a hundred differ",
      Float64Array.from({ length: 100 }, (_, i) => (i < 7 ? 1 : 0)),
      "exact bound",
      ["few_differ"],
    ],
    [
      "resamples when eight differ",
      Float64Array.from({ length: 100 }, (_, i) => (i < 8 ? 1 : 0)),
      "studentized bootstrap over items",
      [],
    ],
  ] as const)
    it(what, () => {
      const interval = itemInterval(values, "score", options);
      assert.deepEqual([interval.method, interval.doubts], [method, doubts]);
    });
  it("uses t for a difference of fewer than 50 items, without a doubt", () => {
    for (const [n, method] of [
      [49, "t interval over items"],
      [50, "percentile bootstrap over items, corrected by t"],
    ] as const) {
      const interval = itemInterval(spread(n), "difference", options);
      assert.deepEqual([interval.method, interval.doubts], [method, []]);
    }
  });
  it("has a bound that contains the interval's estimate and is wider", () => {
    const { low, high, value, exact } = itemInterval(spread(60), "score", options);
    assert.ok(exact.low < low && low < value && value < high && high < exact.high);
  });
});
