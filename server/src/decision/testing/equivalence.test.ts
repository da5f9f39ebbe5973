import assert from "node:assert/strict";
import { around, seeded } from "../../../../test/support/decision/seededOutcomes.ts";
import { equivalent } from "./equivalence.ts";
import { seedNoise } from "./seedNoise.ts";
import type { Tested } from "./testing.ts";

function judged(worth: number, { margin = 0.06, shift = 0.01, items = 400 } = {}) {
  const seeds = [shift, 0, -shift];
  const version = (name: string, gain: number, draw: number): Tested =>
    seeded(name, { items, rate: around(0.4 + gain, items), seeds, draw });
  const [kept, without] = [version("v5", worth, 3), version("v5-less", 0, 4)];
  const noise = seedNoise([kept, without, version("o", 0, 5), version("p", 0, 6)], "macro");
  return equivalent({ with: kept, without, noise, metric: "macro", margin, confidence: 0.95 });
}

describe("equivalent", () => {
  for (const [what, worth, verdict, says] of [
    [
      "an edit that is worth nothing",
      0,
      "not_needed",
      /^Not needed, leaving it out costs less than the margin: /,
    ],
    ["an edit that is worth a lot", 0.2, "needed", /^Needed: with the edit \+\d+/],
    ["an edit that does harm", -0.2, "not_needed", /^Not needed, it even does harm: with the edit −\d+/],
  ] as const)
    it(`answers ${what} with ${verdict}`, () => {
      const found = judged(worth);
      assert.equal(found.verdict, verdict, found.reason);
      assert.match(found.reason, says);
    });
  it("cannot tell if seeds differ by more than the margin, and says how many would be enough", () => {
    const found = judged(0, { shift: 0.1 });
    assert.equal(found.verdict, "cannot_tell");
    assert.ok(found.seedsNeeded !== null && found.seedsNeeded > 3);
    assert.match(found.reason, new RegExp(`About ${found.seedsNeeded} seeds of each would be enough\\.$`));
  });
  it("needs more for a smaller margin", () => {
    const [wide, narrow] = [judged(0, { margin: 0.06 }), judged(0, { margin: 0.002 })];
    assert.deepEqual([wide.verdict, narrow.verdict], ["not_needed", "cannot_tell"]);
  });
  it("is a test of either side: the interval leaves 5 % at each end", () =>
    assert.ok(Math.abs((judged(0).comparison?.confidence ?? 0) - 0.9) < 1e-12));
  it("says so if nothing can be compared", () => {
    const empty = { name: "a", outcomes: [] };
    const noise = seedNoise([], "macro");
    const found = equivalent({
      with: empty,
      without: empty,
      noise,
      metric: "macro",
      margin: 0.02,
      confidence: 0.95,
    });
    assert.deepEqual([found.verdict, found.comparison], ["cannot_tell", null]);
  });
});
