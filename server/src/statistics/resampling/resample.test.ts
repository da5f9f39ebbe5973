import assert from "node:assert/strict";
import { seededRandom } from "../../base/random.ts";
import { binomialSampler } from "../distributions/binomial.ts";
import { moments } from "../distributions/moments.ts";
import { resampleMeans } from "./resample.ts";

/** Mean and variance of draws are within five standard errors of the closed form. */
function agrees(values: ArrayLike<number>, { mean, variance }: { mean: number; variance: number }): void {
  const found = moments(values);
  const n = values.length;
  assert.ok(Math.abs(found.mean - mean) < 5 * Math.sqrt(variance / n), `mean ${found.mean}, not ${mean}`);
  // The variance of a variance is about 2 σ⁴ / n for what is nearly normal; thrice that for what is not.
  assert.ok(
    Math.abs(found.variance - variance) < 5 * variance * Math.sqrt(6 / n),
    `variance ${found.variance}, not ${variance}`,
  );
}

describe("binomialSampler", () => {
  const random = seededRandom(3);
  const binomial = binomialSampler(5000, random);
  for (const [n, p] of [
    [1, 0.3],
    [20, 0.05],
    [20, 0.95],
    [30, 0.5],
    [1000, 0.2],
    [5000, 0.7],
    [5000, 0.0004],
  ] as const)
    it(`has the mean and variance of ${n} trials at ${p}`, () => {
      const draws = Array.from({ length: 20_000 }, () => binomial(n, p));
      assert.ok(draws.every((k) => Number.isInteger(k) && k >= 0 && k <= n));
      agrees(draws, { mean: n * p, variance: n * p * (1 - p) });
    });
  it("draws each count as often as expected (chi-square, 12 trials at 0.5 and 40 at 0.4)", () => {
    for (const [n, p] of [
      [12, 0.5],
      [40, 0.4],
    ] as const) {
      const counts = new Array<number>(n + 1).fill(0);
      const draws = 50_000;
      for (let i = 0; i < draws; i++) {
        const k = binomial(n, p);
        counts[k] = (counts[k] ?? 0) + 1;
      }
      let [chance, chi, cells] = [(1 - p) ** n, 0, 0];
      for (let k = 0; k <= n; k++) {
        const expected = chance * draws;
        if (expected >= 5) {
          chi += ((counts[k] ?? 0) - expected) ** 2 / expected;
          cells++;
        }
        chance *= ((p / (1 - p)) * (n - k)) / (k + 1);
      }
      assert.ok(chi < cells + 5 * Math.sqrt(2 * cells), `chi-square ${chi} with ${cells} cells`);
    }
  });
  it("handles certain outcomes", () =>
    assert.deepEqual([binomial(0, 0.5), binomial(9, 0), binomial(9, 1)], [0, 0, 9]));
});

describe("resampleMeans", () => {
  const random = seededRandom(5);
  const rates = Float64Array.from({ length: 200 }, () => Math.floor(random() * 5) / 4);
  const distinct = Float64Array.from({ length: 200 }, () => random());
  for (const [what, values] of [
    ["few distinct values, by counts", rates],
    ["all values distinct, by indices", distinct],
  ] as const)
    it(`has the spread of the closed form for ${what}`, () => {
      const { shifts, errors } = resampleMeans(values, { resamples: 20_000, seed: 1 });
      const n = values.length;
      const plugIn = (moments(values).variance * (n - 1)) / n;
      agrees(shifts, { mean: 0, variance: plugIn / n });
      // A resample's own error is on average that of the sample, less one part in n.
      const squares = errors.reduce((sum, e) => sum + e * e, 0) / errors.length;
      assert.ok(Math.abs(squares / (plugIn / n) - 1) < 0.01, `${squares / (plugIn / n)}`);
    });
  it("is the same for the same seed, and different for another", () => {
    const run = (seed: number): string => resampleMeans(rates, { resamples: 50, seed }).shifts.join();
    assert.equal(run(4), run(4));
    assert.notEqual(run(4), run(5));
  });
  it("has no spread when the values have none", () => {
    const { shifts, errors } = resampleMeans(new Float64Array(40).fill(0.3), { resamples: 100, seed: 1 });
    assert.ok(shifts.every((x) => Math.abs(x) < 1e-15) && errors.every((x) => x === 0));
  });
});
