import assert from "node:assert/strict";
import { outcomeCodes } from "../evidence/queries/groupColumns.ts";
import { describeTruncation } from "./describeTruncation.ts";
import { replayTruncation } from "./truncationReplay.ts";
import { wilson } from "../statistics/intervals/proportions.ts";

describe("truncation replay", () => {
  const { pass, fail, unknown } = outcomeCodes;
  it("counts the successes that a limit loses and what it saves; a length equal to the limit is not cut", () => {
    const r = replayTruncation(
      Float64Array.of(10, 20, 30, 40, NaN),
      Uint8Array.of(pass, pass, fail, unknown, pass),
      [20, 10, 10],
    );
    assert.deepEqual([r.rollouts, r.withoutLength, r.passes, r.spent], [4, 1, 2, 100]);
    assert.deepEqual(
      r.limits.map((l) => [l.limit, l.cut, l.cutPasses, l.misTruncated?.share, l.saved, l.savedShare]),
      [
        [10, 3, 1, 0.5, 60, 0.6],
        [20, 2, 0, 0, 30, 0.3],
      ],
    );
    const words = describeTruncation("turns", r);
    assert.match(
      words[0] ?? "",
      /^At most 10 turns: 3 rollouts of 4 cut, 1 of 2 successes lost, 50\.0 % \[9\.5, 90\.5\]; saves 60\.0 % of the turns\.$/,
    );
    assert.match(words[2] ?? "", /^1 rollout without a number of turns is left out\.$/);
  });
  it("gives an answer for no successes, and for no lengths", () => {
    const none = replayTruncation(Float64Array.of(5), Uint8Array.of(fail), [1]);
    assert.equal(none.limits[0]?.misTruncated, null);
    assert.match(describeTruncation("turns", none)[0] ?? "", /no rollout passed/);
    const blank = replayTruncation(Float64Array.of(NaN), Uint8Array.of(pass), [1]);
    assert.match(describeTruncation("tokens", blank)[0] ?? "", /No rollout says how many tokens/);
    assert.equal(replayTruncation(Float64Array.of(0), Uint8Array.of(pass), [1]).limits[0]?.savedShare, null);
  });
});

describe("the Wilson interval", () => {
  // Published: Newcombe 1998, table I, method 3 (score without continuity correction).
  for (const [count, of, low, high] of [
    [81, 263, 0.2553, 0.3662],
    [15, 148, 0.0624, 0.1605],
    [0, 20, 0, 0.1611],
    [1, 29, 0.0061, 0.1718],
  ] as const)
    it(`is [${low}, ${high}] for ${count} of ${of}`, () => {
      const interval = wilson({ share: count / of, size: of });
      assert.ok(Math.abs(interval.low - low) < 5e-5 && Math.abs(interval.high - high) < 5e-5);
    });
  it("is [0, 1] when there is nothing to count", () => {
    assert.deepEqual(wilson({ share: 0, size: 0 }), { low: 0, high: 1 });
    assert.equal(wilson({ share: 1, size: 7 }).high, 1);
  });
});
