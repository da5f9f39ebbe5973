import assert from "node:assert/strict";
import fc from "fast-check";
import { fuzzRuns } from "../base/testFuzz.ts";
import { averageAtK, bestOf, sampleAggregators } from "./averageAtK.ts";
import { passAtK, passHatK, passRate } from "./passAtK.ts";

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
  it("is 1 − C(n − c, k) / C(n, k) of Chen et al. 2021", () => {
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
  it("is C(c, k) / C(n, k) of τ-bench", () => {
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

describe("passRate", () => {
  const items = [
    { pass: 1, known: 4 },
    { pass: 4, known: 4 },
    { pass: 1, known: 1 },
  ];
  it("averages the items that have k samples and counts the others", () => {
    assert.deepEqual(passRate(items, 2, "any"), { type: "known", value: 0.75, items: 2, short: 1 });
    assert.deepEqual(passRate(items, 2, "all"), { type: "known", value: 0.5, items: 2, short: 1 });
  });
  for (const [what, given, k, reason] of [
    ["no item", [], 1, "nothing_measured"],
    ["no item with so many samples", items, 5, "too_few_samples"],
    ["a k that is no count", items, 0.5, "too_few_samples"],
  ] as const)
    it(`refuses ${what}`, () => {
      const answer = passRate(given, k, "any");
      assert.equal(answer.type === "refused" && answer.reason, reason);
    });
});

describe("averageAtK", () => {
  const items = [
    [0, 0, 1],
    [1, 1, 1],
    [0, 0, 0],
    [0.5, 0.5, 0.5],
  ];
  for (const [aggregator, k, value] of [
    ["mean", 3, (1 / 3 + 1 + 0 + 0.5) / 4],
    ["median", 3, (1 / 3 + 0.5) / 2],
    // 12 samples, 3 cut at each end: 0 0 | 0 0 0 .5 .5 .5 | 1 1 1 1 with one more 0 cut.
    ["iqm", 3, (0 + 0 + 0.5 + 0.5 + 0.5 + 1) / 6],
    ["best", 3, (1 + 1 + 0 + 0.5) / 4],
    ["best", 2, (2 / 3 + 1 + 0 + 0.5) / 4],
    ["worst", 3, (0 + 1 + 0 + 0.5) / 4],
    ["worst", 1, (1 / 3 + 1 + 0 + 0.5) / 4],
  ] as const)
    it(`has the ${aggregator} of ${k} samples`, () => {
      const answer = averageAtK(items, { k, aggregator });
      assert.ok(answer.type === "known" && Math.abs(answer.value - value) < 1e-12, JSON.stringify(answer));
    });
  it("is pass@k when the best of passes and fails is asked for", () =>
    fc.assert(
      fc.property(tally, ({ n, c, k }) => {
        const samples = Array.from({ length: n }, (_, i) => (i < c ? 1 : 0));
        assert.ok(Math.abs(bestOf(samples, k) - passAtK(n, c, k)) < 1e-9);
      }),
      { numRuns: fuzzRuns() },
    ));
  it("leaves out items with fewer samples, and refuses when none has enough", () => {
    const one = averageAtK([[1], [0, 1]], { k: 2, aggregator: "mean" });
    assert.deepEqual(one, { type: "known", value: 0.5, aggregator: "mean", k: 2, items: 1, short: 1 });
    for (const aggregator of sampleAggregators)
      assert.equal(averageAtK([[1], [0]], { k: 2, aggregator }).type, "refused");
    assert.equal(averageAtK([], { k: 1, aggregator: "mean" }).type, "refused");
  });
});
