import assert from "node:assert/strict";
import { meanInterval, meanMethods } from "./meanInterval.ts";
import { rememberedInterval } from "./rememberedInterval.ts";

describe("an interval that is remembered", () => {
  const values = Float64Array.from({ length: 80 }, (_, i) => ((i * 37) % 8) / 8);
  const options = { confidence: 0.95, resamples: 500, seed: 3 };

  for (const method of meanMethods)
    it(`is that of the same values, confidence, seed and number of resamples (${method})`, () => {
      const asked = [
        { values, options },
        { values: values.map((x, i) => (i === 0 ? 1 - x : x)), options },
        { values, options: { ...options, confidence: 0.9 } },
        { values, options: { ...options, resamples: 400 } },
        { values, options: { ...options, seed: 4 } },
      ];
      for (let again = 0; again < 2; again++)
        for (const one of asked)
          assert.deepEqual(
            rememberedInterval(one.values, method, one.options),
            meanInterval(one.values, method, one.options),
          );
    });

  it("does not change with the array that it was computed from", () => {
    const mine = values.slice();
    const before = rememberedInterval(mine, "percentile", options);
    mine.fill(0.5, 0, 40);
    assert.notDeepEqual(rememberedInterval(mine, "percentile", options), before);
    assert.deepEqual(rememberedInterval(values, "percentile", options), before);
  });
});
