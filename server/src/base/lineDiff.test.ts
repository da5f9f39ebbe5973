import assert from "node:assert/strict";
import fc from "fast-check";
import { fuzzRuns } from "../../../test/support/base/fuzz.ts";
import { lineDiff, linesOf } from "./lineDiff.ts";

describe("lineDiff", () => {
  const cases: readonly (readonly [string, string, readonly number[], readonly number[]])[] = [
    ["", "", [], []],
    ["a", "a", [], []],
    ["a", "b", [0], [0]],
    ["abc", "ac", [1], []],
    ["ac", "abc", [], [1]],
    ["abcabba", "cbabac", [0, 1, 5], [1, 5]],
  ];
  for (const [before, after, removed, added] of cases)
    it(`of ${before || "nothing"} and ${after || "nothing"}`, () => {
      const found = lineDiff(before.split(""), after.split(""));
      assert.deepEqual([found.removed.length, found.added.length], [removed.length, added.length]);
    });

  it("leaves what the two have in common, in order, and finds the fewest lines", () => {
    const lines = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 14 });
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const { removed, added } = lineDiff(before, after);
        const kept = (list: readonly string[], gone: readonly number[]): string[] =>
          list.filter((_, i) => !gone.includes(i));
        assert.deepEqual(kept(before, removed), kept(after, added));
        assert.equal(kept(before, removed).length, longestCommon(before, after));
      }),
      { numRuns: fuzzRuns() },
    );
  });

  it("replaces long texts that have little in common as a whole", () => {
    const [a, b] = ["x", "y"].map((letter) => Array.from({ length: 3000 }, (_, i) => `${letter}${i}\n`));
    const { removed, added } = lineDiff(["same\n", ...(a ?? [])], ["same\n", ...(b ?? [])]);
    assert.deepEqual([removed.length, added.length, removed[0]], [3000, 3000, 1]);
  });

  it("keeps line ends", () => assert.deepEqual(linesOf("a\r\n\nb"), ["a\r\n", "\n", "b"]));
});

function longestCommon(a: readonly string[], b: readonly string[]): number {
  const row = new Array<number>(b.length + 1).fill(0);
  for (const one of a) {
    let above = 0;
    for (const [j, other] of b.entries()) {
      const here = row[j + 1] ?? 0;
      row[j + 1] = one === other ? above + 1 : Math.max(here, row[j] ?? 0);
      above = here;
    }
  }
  return row[b.length] ?? 0;
}
