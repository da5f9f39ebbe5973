import assert from "node:assert/strict";
import type { RewardSpec } from "../../../shared/spec/reward.ts";
import { replayReward, type ReplayGroup, type ReplayRollout } from "./rewardReplay.ts";

type Terms = Pick<RewardSpec, "components">;
const rollout = (correctness: number, extra: Readonly<Record<string, number>> = {}): ReplayRollout => ({
  outcome: correctness >= 1 ? "pass" : "fail",
  components: { correctness, ...extra },
});
const flat: Terms = { components: { correctness: { shape: "flat", weight: 1 } } };
const linear: Terms = { components: { correctness: { shape: "linear", weight: 1 } } };

describe("replayReward", () => {
  it("reproduces the published revival: 40 groups, 20 dead, 9 revived by one more dimension, 50 % to 27.5 %", () => {
    const live: ReplayGroup = [rollout(1, { bonus: 0 }), rollout(0, { bonus: 0 })];
    const dead: ReplayGroup = [rollout(0, { bonus: 0 }), rollout(0, { bonus: 0 })];
    const revivable: ReplayGroup = [rollout(0, { bonus: 1 }), rollout(0, { bonus: 0 })];
    const groups = [
      ...Array.from({ length: 20 }, () => live),
      ...Array.from({ length: 11 }, () => dead),
      ...Array.from({ length: 9 }, () => revivable),
    ];
    const r = replayReward(groups, flat, {
      components: { ...flat.components, bonus: { shape: "linear", weight: 0.1 } },
    });
    assert.deepEqual([r.groups, r.deadBefore, r.revived, r.deadAfter], [40, 20, 9, 11]);
    assert.equal(r.deadAfter / r.groups, 0.275);
    assert.equal(r.noOp, false);
  });
  it("revives what flat tiers collapse", () => {
    const r = replayReward([[rollout(0.6), rollout(0.7)]], flat, linear);
    assert.deepEqual([r.deadBefore, r.deadAfter, r.revived], [1, 0, 1]);
  });
  for (const [what, after, noOp] of [
    ["a doubled weight", { components: { correctness: { shape: "linear", weight: 2 } } }, true],
    [
      "a bonus that every rollout gets",
      { components: { ...linear.components, given: { shape: "linear", weight: 0.3 } } },
      true,
    ],
    ["another shape", flat, false],
  ] as const)
    it(`${noOp ? "calls" : "does not call"} ${what} a no-op under group normalisation`, () => {
      const group = [rollout(0.1, { given: 1 }), rollout(0.7, { given: 1 }), rollout(1, { given: 1 })];
      assert.equal(replayReward([group], linear, after).noOp, noOp);
    });
  it("counts failures that end above a pass, and says when a bonus is a constant", () => {
    const group = [
      rollout(1, { bonus: 0 }),
      rollout(0.9, { bonus: 1 }),
      rollout(0.2, { bonus: 1 }),
      rollout(0.5, { bonus: 1 }),
    ];
    const r = replayReward([group], linear, {
      components: { ...linear.components, bonus: { shape: "linear", weight: 0.2 } },
    });
    assert.equal(r.orderViolations, 1);
    assert.equal(r.saturation["bonus"], 0.75);
  });
  it("says nothing of an empty archive", () => assert.deepEqual(replayReward([], flat, linear).noOp, false));
});
