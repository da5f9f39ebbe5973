import assert from "node:assert/strict";
import { median, medianInterval, medianShare, reaches } from "./reach.ts";
import type { CellResult } from "../result.ts";

const kept = (version: string, score: number, trainings: number, leaks: string[] = []) => ({
  ...{ version, parent: version === "v1" ? "v0" : "v1", factor: null, title: version, stage: null },
  ...{ decision: "keep", score, trainings, leaks },
});
const cell = (arm: "random" | "evotrainer", seed: number, decisions: object[]): CellResult =>
  ({ arm, seed, domain: "swe", decisions }) as unknown as CellResult;

describe("how soon a search has what a random one finds", () => {
  it("has an interval of its median: between the second and the ninth of ten, and from the least to the greatest of five", () => {
    const ten = medianInterval([7, 3, Infinity, 6, 1, 11, 2, 4, 5, 16]);
    assert.deepEqual([ten.low, ten.high, ten.confidence.toFixed(4)], [2, 16, "0.9785"]);
    const five = medianInterval([11, 3, Infinity, 6, 7]);
    assert.deepEqual([five.low, five.high, five.confidence.toFixed(4)], [3, Infinity, "0.9375"]);
  });

  const baseline = kept("v1", 0.3, 3);
  const random = [
    baseline,
    kept("v2", 0.4, 6),
    kept("v3", 0.5, 12),
    { ...kept("v4", 0.9, 14), decision: "reject" },
  ];

  it("is told by the first kept version with at least the score, without those that open a leak", () => {
    const own = [
      baseline,
      kept("v2", 0.9, 4, ["history"]),
      kept("v3", 0.45, 5),
      kept("v4", 0.5, 6),
      kept("v5", 0.7, 9),
    ];
    assert.deepEqual(reaches([cell("random", 1, random), cell("evotrainer", 1, own)], { kept: true }), [
      { domain: "swe", seed: 1, score: 0.5, random: 12, evotrainer: 6, near: 6 },
    ]);
    const nearly = [baseline, kept("v2", 0.479, 5), kept("v3", 0.481, 8)];
    const [matched] = reaches([cell("random", 1, random), cell("evotrainer", 1, nearly)], { kept: true });
    assert.deepEqual([matched?.evotrainer, matched?.near], [null, 8], "it matches within 2 points");
    const [never] = reaches([cell("random", 1, random), cell("evotrainer", 1, [baseline])], { kept: true });
    assert.equal(never?.evotrainer, null);
  });

  it("is not told where the random search found nothing, or one of the two did not run", () => {
    const nothing = [cell("random", 1, [baseline]), cell("evotrainer", 1, random)];
    assert.deepEqual(reaches(nothing, { kept: true }), []);
    assert.deepEqual(
      reaches([cell("random", 1, random), cell("evotrainer", 2, random)], { kept: false }),
      [],
    );
    const [told] = reaches(nothing, { kept: false });
    assert.deepEqual([told?.score, told?.evotrainer], [0.3, 3], "unless the baseline counts as its best");
  });

  it("has a median in which never is worse than any number", () => {
    assert.equal(medianShare([]), null);
    assert.equal(medianShare([{ random: 12, evotrainer: 6 }]), 0.5);
    assert.equal(medianShare([6, 9, null].map((evotrainer) => ({ random: 12, evotrainer }))), 0.75);
    assert.equal(medianShare([6, null, null].map((evotrainer) => ({ random: 12, evotrainer }))), Infinity);
    assert.equal(median([Infinity, 9, 3]), 9);
  });
});
