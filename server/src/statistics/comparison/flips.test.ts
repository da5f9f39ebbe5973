import assert from "node:assert/strict";
import { flipsOf } from "./flips.ts";
import { nonInferiority } from "./guardrail.ts";
import type { ItemOutcomes } from "../scores/outcomes.ts";

const item = (name: string, pass: number, fail: number, unknown = 0): ItemOutcomes => ({
  item: name,
  pass,
  fail,
  unknown,
});

describe("flipsOf", () => {
  const before = [item("a", 0, 4), item("b", 4, 0), item("c", 2, 2), item("d", 0, 0, 4), item("e", 1, 1)];
  const after = [item("a", 3, 1), item("b", 3, 1), item("c", 1, 1, 2), item("d", 4, 0), item("f", 1, 1)];
  it("names the items by their rates, largest change first, with their counts", () => {
    const { flips, fixed, broken, same } = flipsOf(before, after);
    assert.deepEqual(
      flips.map((f) => [f.item, f.direction, f.before.pass, f.after.pass]),
      [
        ["a", "fixed", 0, 3],
        ["b", "broken", 4, 3],
      ],
    );
    // c has the same rate among its known samples; d is unknown before; e and f are in one version only.
    assert.deepEqual([fixed, broken, same], [1, 1, 1]);
  });
  it("includes McNemar's exact test over them", () => {
    const a = Array.from({ length: 12 }, (_, i) => item(`${i}`, i === 0 ? 1 : 0, i === 0 ? 0 : 1));
    const b = Array.from({ length: 12 }, (_, i) =>
      item(`${i}`, i > 0 && i < 10 ? 1 : 0, i > 0 && i < 10 ? 0 : 1),
    );
    const { fixed, broken, p } = flipsOf(a, b);
    assert.deepEqual([fixed, broken], [9, 1]);
    assert.ok(Math.abs(p - 22 / 1024) < 1e-12);
  });
  it("is empty when there is no common item", () =>
    assert.deepEqual(flipsOf([item("a", 1, 0)], [item("b", 1, 0)]), {
      flips: [],
      fixed: 0,
      broken: 0,
      same: 0,
      p: 1,
    }));
});

describe("nonInferiority", () => {
  // The three cases of the ICH E9 and CONSORT figures: right of the margin, left of it, across it.
  for (const [low, high, better, verdict] of [
    [-0.01, 0.03, "higher", "holds"],
    [-0.05, -0.03, "higher", "violated"],
    [-0.03, 0.01, "higher", "cannot_tell"],
    [-0.02, 0.01, "higher", "cannot_tell"],
    [-0.05, 0.01, "lower", "holds"],
    [0.03, 0.05, "lower", "violated"],
    [0.01, 0.03, "lower", "cannot_tell"],
  ] as const)
    it(`${verdict} at [${low}, ${high}] with a margin of 0.02 if ${better} is better`, () =>
      assert.equal(nonInferiority({ low, high }, { margin: 0.02, better }), verdict));
});
