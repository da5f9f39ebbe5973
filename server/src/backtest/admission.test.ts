import assert from "node:assert/strict";
import fc from "fast-check";
import { fuzzRuns } from "../../../test/support/base/fuzz.ts";
import { admissionMatrix, type MetricHistory, type Separation } from "./admission.ts";

const values = (prefix: string, list: readonly (number | null)[]) =>
  list.map((value, i) => ({ version: `${prefix}${i}`, value }));
const history = (
  good: readonly (number | null)[],
  bad: readonly (number | null)[],
  metric = "m",
): MetricHistory => ({ metric, good: values("g", good), bad: values("b", bad) });
const one = (good: readonly (number | null)[], bad: readonly (number | null)[]): Separation => {
  const [row] = admissionMatrix([history(good, bad)]);
  assert.ok(row);
  return row;
};

describe("admissionMatrix", () => {
  it("admits a metric that separates five kept from three rejected versions: 2 of 56 ways", () => {
    const s = one([0.1, 0.12, 0.08, 0.11, 0.09], [0.4, 0.5, 0.45]);
    assert.deepEqual([s.auc, s.higher, s.p, s.exact, s.attainable], [1, "bad", 2 / 56, true, 2 / 56]);
    assert.ok(Math.abs((s.threshold?.at ?? 0) - 0.26) < 1e-12);
    assert.deepEqual([s.threshold?.wrongGood, s.threshold?.wrongBad], [0, 0]);
    assert.deepEqual(s.leaveOneOut, { right: 8, of: 8, larger: 5 });
    assert.equal(s.verdict, "separates");
  });
  it("says that luck is likely when there are too few versions to show anything", () => {
    const s = one([0.1, 0.2], [0.9]);
    assert.deepEqual([s.auc, s.attainable, s.verdict], [1, 2 / 3, "cannot_tell"]);
    assert.match(
      s.because,
      /^Too few versions are decided: there are 2 and 1\. .* can be luck \(p = 0\.67\)\./,
    );
  });
  it("does not admit a metric whose values overlap, and counts the errors of the best threshold", () => {
    const s = one([1, 2, 3, 4, 10], [5, 6, 7, 0, 8]);
    assert.deepEqual([s.auc, s.verdict], [0.64, "does_not_separate"]);
    assert.deepEqual([s.threshold?.at, s.threshold?.wrongGood, s.threshold?.wrongBad], [4.5, 1, 1]);
    assert.match(s.because, /^Luck would do as well/);
  });
  it("does not admit a metric that separates only the versions that it was fitted to", () => {
    // A significant difference of ranks that a single threshold cannot use.
    const s = one([1, 2, 3, 4, 5, 6, 20], [7, 8, 9, 10, 11, 12, 13]);
    assert.ok((s.p ?? 1) < 0.05);
    assert.deepEqual(s.leaveOneOut?.of, 14);
  });
  it("counts fewer ways when versions share a value", () => {
    const s = one([0, 0, 0, 0], [0.1, 0.2, 0.3]);
    assert.deepEqual([s.p, s.attainable, s.verdict], [1 / 35, 1 / 35, "separates"]);
    assert.equal(one([0, 0, 0, 0, 0], [0.9]).attainable, 1 / 6);
  });
  for (const [what, good, bad, says] of [
    [
      "no version is rejected",
      [1, 2],
      [],
      /for 2 versions of one group and 0 of the other; it needs values in both/,
    ],
    ["nothing is decided", [], [], /No decided version/],
    ["the metric is missing everywhere", [null, null], [null], /No decided version/],
    ["it is missing on one side", [1, null], [null], /for 1 version of one group and 0/],
    ["the value is always the same", [3, 3, 3, 3, 3], [3, 3, 3], /same value in every version/],
  ] as const)
    it(`answers when ${what}`, () => {
      const s = one(good, bad);
      assert.notEqual(s.verdict, "separates");
      assert.match(s.because, says);
    });
  it("counts a tie as one half, and ignores missing values", () => {
    const s = one([1, 1, null], [1, 2]);
    assert.deepEqual([s.auc, s.leaveOneOut?.of], [0.75, 4]);
  });
  it("corrects for the number of metrics that were tried", () => {
    const clear = history([1, 2, 3, 4, 5], [6, 7, 8], "clear");
    const rows = admissionMatrix([clear, history([1, 6, 3, 8, 5], [2, 7, 4], "noise")]);
    assert.deepEqual(
      [rows[0]?.p, rows[0]?.adjusted, rows[0]?.verdict],
      [2 / 56, 4 / 56, "does_not_separate"],
    );
    assert.match(rows[0]?.because ?? "", /0\.071 among 2 metrics/);
  });
  it("draws at random when there are too many ways to count", () => {
    const s = one(
      Array.from({ length: 20 }, (_, i) => i),
      Array.from({ length: 20 }, (_, i) => i + 15),
    );
    assert.equal(s.exact, false);
    assert.equal(s.verdict, "separates");
  });
  it("gives an answer for any values", () => {
    const some = fc.array(fc.option(fc.oneof(fc.double(), fc.integer({ min: 0, max: 3 }))), { maxLength: 7 });
    fc.assert(
      fc.property(some, some, (good, bad) => {
        const s = one(good, bad);
        const [swapped] = admissionMatrix([history(bad, good)]);
        assert.equal(s.p, swapped?.p, "sides are alike");
        if (s.p === null || s.attainable === null || s.auc === null) return;
        assert.ok(s.attainable <= s.p && s.p <= 1 && s.auc >= 0.5 && s.auc <= 1);
        assert.ok(s.attainable > 0 && s.because.length > 0);
      }),
      { numRuns: fuzzRuns() },
    );
  });
});
