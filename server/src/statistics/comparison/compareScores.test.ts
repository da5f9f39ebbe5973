import assert from "node:assert/strict";
import { compareScores, type ScoreAlone } from "./compareScores.ts";

const scored = (score: number, more: Partial<ScoreAlone> = {}): ScoreAlone => ({
  ...{ score, n: 616, unknown: 0, items: 77, fewest: 77, bySeed: [], seeds: 1 },
  ...more,
});
const told = (a: ScoreAlone, b: ScoreAlone) => {
  const { verdict, withheld } = compareScores(a, b);
  return [verdict, withheld];
};

describe("scores without rollouts", () => {
  it("have the published interval of ±5.35 points, unpaired, for 33.77 % and 38.16 % of 616", () => {
    const { narrow, verdict, difference } = compareScores(scored(0.3377), scored(0.3816));
    assert.equal(verdict, "inside_noise");
    assert.ok(Math.abs(narrow.high - difference - 0.0535) < 0.001, String(narrow.high - difference));
  });

  it("have a verdict only where it holds however much the rollouts of an item agree", () => {
    assert.deepEqual(told(scored(0.31), scored(0.488)), ["improved", null]);
    assert.deepEqual(told(scored(0.488), scored(0.31)), ["regressed", null]);
    assert.deepEqual(told(scored(0.31), scored(0.38)), ["withheld", "items_may_agree"]);
    // The rollouts of these items were seen to differ.
    assert.deepEqual(told(scored(0.31, { fewest: 600 }), scored(0.38, { fewest: 600 })), ["improved", null]);
  });

  it("have none where the items are not told, not as many, or too few", () => {
    const [low, high] = [0.2, 0.7];
    assert.deepEqual(told(scored(low), scored(high, { items: null, fewest: null })), [
      "withheld",
      "items_not_told",
    ]);
    assert.deepEqual(told(scored(low), scored(high, { items: 70, fewest: 70 })), [
      "withheld",
      "items_differ",
    ]);
    const few = { items: 19, fewest: 19 };
    assert.deepEqual(told(scored(low, few), scored(high, few)), ["withheld", "few_items"]);
  });

  it("have none where unknown outcomes or seeds could turn it", () => {
    const [low, high] = [0.3, 0.6];
    assert.deepEqual(told(scored(low), scored(high, { unknown: 30 })), ["improved", null]);
    assert.deepEqual(told(scored(low), scored(high, { unknown: 400 })), ["withheld", "unknown_matter"]);
    const { outer } = compareScores(scored(low), scored(high, { unknown: 400 }));
    assert.ok(outer !== null && outer.low < 0 && outer.high > 0.4);
    const seeds = (...bySeed: number[]) => ({ bySeed, seeds: bySeed.length });
    assert.deepEqual(told(scored(low, seeds(0.29, 0.31)), scored(high, seeds(0.59, 0.61))), [
      "improved",
      null,
    ]);
    assert.deepEqual(told(scored(low, seeds(0.05, 0.55)), scored(high, seeds(0.3, 0.9))), [
      "withheld",
      "seeds_differ",
    ]);
  });
});
