import assert from "node:assert/strict";
import fc from "fast-check";
import { fuzzRuns } from "../../../../test/support/base/fuzz.ts";
import { passAtK, passHatK } from "./passAtK.ts";

function choose(n: number, k: number): bigint {
  let result = 1n;
  for (let i = 0; i < k; i++) result = (result * BigInt(n - i)) / BigInt(i + 1);
  return k > n ? 0n : result;
}
const ratio = (a: bigint, b: bigint): number => Number((a * 10n ** 15n) / b) / 1e15;
const tally = fc
  .record({ n: fc.integer({ min: 1, max: 200 }), c: fc.nat(200), k: fc.integer({ min: 1, max: 200 }) })
  .filter(({ n, c, k }) => c <= n && k <= n);

describe("passAtK", () => {
  it("is 1 − C(n − c, k) / C(n, k) as in Chen et al. 2021", () => {
    assert.equal(passAtK(5, 2, 3), 0.9);
    assert.equal(passAtK(10, 0, 10), 0);
    assert.equal(passAtK(10, 1, 10), 1);
    assert.ok(Math.abs(passAtK(200, 10, 1) - 0.05) < 1e-12);
  });
  it("agrees with whole numbers to 12 digits", () =>
    fc.assert(
      fc.property(tally, ({ n, c, k }) => {
        const exact = 1 - ratio(choose(n - c, k), choose(n, k));
        assert.ok(Math.abs(passAtK(n, c, k) - exact) < 1e-12);
      }),
      { numRuns: fuzzRuns() },
    ));
  it("stays in [0, 1] where the binomials would overflow", () => {
    const p = passAtK(100_000, 3, 50_000);
    assert.ok(Math.abs(p - 0.875) < 1e-4, `${p}`);
  });
});

describe("passHatK", () => {
  it("is C(c, k) / C(n, k) as in τ-bench", () => {
    assert.ok(Math.abs(passHatK(8, 6, 2) - 15 / 28) < 1e-15);
    assert.deepEqual([passHatK(8, 3, 4), passHatK(8, 8, 8), passHatK(8, 2, 1)], [0, 1, 0.25]);
  });
  it("agrees with whole numbers to 12 digits", () =>
    fc.assert(
      fc.property(tally, ({ n, c, k }) =>
        assert.ok(Math.abs(passHatK(n, c, k) - ratio(choose(c, k), choose(n, k))) < 1e-12),
      ),
      { numRuns: fuzzRuns() },
    ));
});
