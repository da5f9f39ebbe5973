import assert from "node:assert/strict";
import fc from "fast-check";
import { fuzzRuns } from "../../../test/support/base/fuzz.ts";
import { addAllPairs, addBySorting, pairsWithinGroups, tauB, type PairCounts } from "./kendall.ts";

const none = (): PairCounts => ({ pairs: 0, balance: 0, tiedX: 0, tiedY: 0 });
const tau = (x: readonly number[], y: readonly number[]): number | null =>
  tauB(pairsWithinGroups(Float64Array.from(x), Float64Array.from(y), Uint32Array.of(0, x.length)));

describe("Kendall's tau-b", () => {
  it("is 1 for the same order and -1 for the opposite order", () => {
    assert.equal(tau([1, 2, 3], [10, 20, 30]), 1);
    assert.equal(tau([1, 2, 3], [3, 2, 1]), -1);
  });
  it("corrects for ties by the closed form", () => {
    // Of 6 pairs x ties 1 and y ties 3, the other 2 are concordant.
    assert.ok(Math.abs((tau([1, 1, 2, 3], [1, 2, 2, 2]) ?? 0) - 2 / Math.sqrt(5 * 3)) < 1e-12);
    // Each ties 1, 3 are concordant, 1 is discordant.
    assert.ok(Math.abs((tau([1, 1, 2, 3], [1, 2, 3, 2]) ?? 0) - 2 / Math.sqrt(5 * 5)) < 1e-12);
  });
  it("is not defined when one side has nothing but ties, or nothing at all", () => {
    assert.equal(tau([1, 1, 1], [1, 2, 3]), null);
    assert.equal(tau([], []), null);
  });
  it("compares pairs within groups only", () => {
    const counts = pairsWithinGroups(
      Float64Array.of(1, 2, 9, 8),
      Float64Array.of(1, 2, 3, 4),
      Uint32Array.of(0, 2, 4),
    );
    assert.deepEqual(counts, { pairs: 2, balance: 0, tiedX: 0, tiedY: 0 });
  });
  it("is the same by sorting as by comparing every pair", () =>
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.integer({ min: 0, max: 9 }), fc.integer({ min: -4, max: 4 })), {
          maxLength: 120,
        }),
        (pairs) => {
          const [x, y] = [Float64Array.from(pairs, (p) => p[0]), Float64Array.from(pairs, (p) => p[1])];
          const [slow, fast] = [none(), none()];
          addAllPairs(slow, x, y, 0, x.length);
          addBySorting(fast, x, y);
          assert.deepEqual(fast, slow);
        },
      ),
      { numRuns: fuzzRuns() },
    ));
});
