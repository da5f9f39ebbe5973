import assert from "node:assert/strict";
import { seededRandom } from "../base/random.ts";
import { holm } from "./distributions/holm.ts";
import { moments } from "./distributions/moments.ts";
import { largestOfNormals, pickedBest } from "./comparison/pickedBest.ts";
import { simultaneousIntervals } from "./intervals/simultaneous.ts";

function normals(seed: number): () => number {
  const random = seededRandom(seed);
  return () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
/** Independent columns of normal values, each shifted to a mean of exactly 0 and a variance of exactly 1. */
function standardColumns(m: number, n: number, seed: number): Float64Array[] {
  const normal = normals(seed);
  return Array.from({ length: m }, () => {
    const values = Float64Array.from({ length: n }, normal);
    const { mean, variance } = moments(values);
    return values.map((x) => (x - mean) / Math.sqrt(variance));
  });
}

describe("holm", () => {
  it("is R's p.adjust(c(.04, .01, .03, .02, .05), 'holm')", () => {
    const adjusted = holm([0.04, 0.01, 0.03, 0.02, 0.05]);
    for (const [i, p] of [0.09, 0.05, 0.09, 0.08, 0.09].entries())
      assert.ok(Math.abs((adjusted[i] ?? 0) - p) < 1e-12);
  });
  it("never exceeds 1, and adjusts nothing for a single value", () => {
    assert.deepEqual(holm([0.7, 0.9]), [1, 1]);
    assert.deepEqual(holm([0.03]), [0.03]);
    assert.deepEqual(holm([]), []);
  });
});

describe("largestOfNormals", () => {
  // Harter 1961, "Expected values of normal order statistics", Biometrika 48, table 1.
  for (const [m, expected] of [
    [1, 0],
    [2, 0.56419],
    [3, 0.84628],
    [5, 1.16296],
    [10, 1.53875],
    [50, 2.24907],
    [100, 2.50759],
  ] as const)
    it(`is ${expected} for ${m}`, () => assert.ok(Math.abs(largestOfNormals(m) - expected) < 1e-5));
});

describe("pickedBest", () => {
  // The expected largest of m standard normals: 1 / √π, 3 / (2 √π), and 1.53875 for ten (Harter 1961).
  for (const [m, largest] of [
    [2, 0.56419],
    [3, 0.84628],
    [10, 1.53875],
  ] as const)
    it(`limits the bias of the best of ${m} to that of equal ones`, () => {
      const n = 400;
      const answer = pickedBest(standardColumns(m, n, m), { resamples: 8000 });
      assert.ok(answer.type === "known");
      // Chance correlations of the columns are of the order 1/√n; the bootstrap error is below that.
      assert.ok(
        Math.abs(answer.biasAtMost * Math.sqrt(n) - largest) < 0.1,
        `${answer.biasAtMost * Math.sqrt(n)}`,
      );
      assert.ok(answer.bias <= answer.biasAtMost + 1e-12);
    });
  for (const apart of [0, 1, 3])
    it(`has the bias of the closed form for two versions ${apart} errors apart`, () => {
      const n = 400;
      const [x, y] = standardColumns(2, n, 4);
      assert.ok(x !== undefined && y !== undefined);
      const error = Math.sqrt(moments(x.map((v, i) => v - (y[i] ?? 0))).variance / n);
      const answer = pickedBest([x, y.map((v) => v + apart * error)], { resamples: 20_000 });
      const density = Math.exp((-apart * apart) / 2) / Math.sqrt(2 * Math.PI);
      assert.ok(answer.type === "known");
      // Standard error of the mean of 20,000 picks with a spread of about 0.7 errors.
      assert.ok(Math.abs(answer.bias / error - density) < 0.02, `${answer.bias / error}, not ${density}`);
      assert.ok(Math.abs(answer.corrected - (answer.value - answer.bias)) < 1e-12);
    });
  it("subtracts nothing from a single version, and almost nothing from a clear winner", () => {
    const columns = standardColumns(3, 100, 2);
    const alone = pickedBest(columns.slice(0, 1));
    assert.ok(alone.type === "known" && Math.abs(alone.bias) < 0.01 && alone.wins[0] === 1);
    const clear = pickedBest(columns.map((c, j) => c.map((x) => x + (j === 1 ? 3 : 0))));
    assert.ok(clear.type === "known" && clear.index === 1 && Math.abs(clear.bias) < 0.01);
  });
  for (const [what, values, reason] of [
    ["no versions", [], "nothing_measured"],
    ["different items", [new Float64Array(3), new Float64Array(4)], "not_comparable"],
    ["one item", [new Float64Array(1)], "one_item"],
  ] as const)
    it(`refuses ${what}`, () => {
      const answer = pickedBest(values);
      assert.equal(answer.type === "refused" && answer.reason, reason);
    });
});

describe("simultaneousIntervals", () => {
  it("use the critical value of independent versions: (1 + 0.95^(1/m)) / 2 of the normal", () => {
    // m = 5: 0.95^(1/5) = 0.98979, z = 2.569 (Šidák 1967).
    const answer = simultaneousIntervals(standardColumns(5, 500, 8), { resamples: 10_000 });
    assert.ok(answer.type === "known" && Math.abs(answer.critical - 2.569) < 0.08, JSON.stringify(answer));
  });
  it("are no wider for copies of one version than for that version alone", () => {
    const [one] = standardColumns(1, 300, 3);
    assert.ok(one !== undefined);
    const alone = simultaneousIntervals([one]);
    const copies = simultaneousIntervals([one, one, one, one]);
    assert.ok(alone.type === "known" && copies.type === "known");
    assert.ok(Math.abs(alone.critical - copies.critical) < 1e-12);
  });
  it("find the one that differs, and none of the others", () => {
    const columns = standardColumns(4, 200, 6).map((c, j) => c.map((x) => x + (j === 2 ? 0.5 : 0)));
    const answer = simultaneousIntervals(columns);
    assert.ok(answer.type === "known");
    assert.deepEqual(
      answer.intervals.map((i) => i.low > 0),
      [false, false, true, false],
    );
    assert.ok((answer.intervals[2]?.p ?? 1) < 0.01 && (answer.intervals[0]?.p ?? 0) > 0.5);
  });
  it("refuse versions without any spread, and mark a column that has none", () => {
    const flat = new Float64Array(30).fill(0.1);
    const none = simultaneousIntervals([flat, flat]);
    assert.equal(none.type === "refused" && none.reason, "no_spread");
    const [column] = standardColumns(1, 30, 1);
    const some = simultaneousIntervals([flat, column ?? flat]);
    assert.ok(some.type === "known" && some.intervals[0]?.spread === false && some.intervals[0].p === 1);
  });
});
