import assert from "node:assert/strict";
import type { RewardTerms } from "../../../shared/reward/reward.ts";
import { normalQuantile } from "../../../shared/model/normalQuantile.ts";
import { outcomeCodes } from "../evidence/queries/groupColumns.ts";
import { describeReward } from "./describeReward.ts";
import { replayGroups } from "./replayGroups.ts";
import { replayReward, type RewardReplay } from "./rewardReplay.ts";
import { columnsOf, type TestGroup, type TestRollout } from "../../../test/support/backtest/columns.ts";
import { replayTruncation } from "./truncationReplay.ts";

function replay(groups: readonly TestGroup[], before: RewardTerms, after: RewardTerms): RewardReplay {
  const columns = columnsOf(groups);
  return replayReward(columns, replayGroups(columns, { before, after }), after);
}

/**
 * Figures that were published of runs like these. The evidence is synthetic: each test builds rollouts of the shape that the source tells, and
 * the figure is what the replay counts in them.
 */
describe("published backtest figures", () => {
  it("40 groups, 20 of them dead: one more reward dimension revives 9, from 50 % to 27.5 % dead groups", () => {
    // Half of the items are solved now and then. Of the others, where every rollout fails, 9 differ in whether the policy
    // searched before it edited; in the other 11 all rollouts did the same.
    const sample = (correctness: number, searched: number): TestRollout => ({
      outcome: correctness === 1 ? "pass" : "fail",
      signals: { correctness, search_before_edit: searched },
    });
    const group = (passes: number, searches: number): TestGroup => ({
      rollouts: Array.from({ length: 8 }, (_, i) => sample(i < passes ? 1 : 0, i % 8 < searches ? 1 : 0)),
    });
    const groups = [
      ...Array.from({ length: 20 }, (_, g) => group(1 + (g % 7), 8)),
      ...Array.from({ length: 9 }, (_, g) => group(0, 1 + (g % 7))),
      ...Array.from({ length: 11 }, (_, g) => group(0, g % 2 === 0 ? 0 : 8)),
    ];
    const before: RewardTerms = { components: { correctness: { shape: "flat", weight: 1 } } };
    const after: RewardTerms = {
      components: { ...before.components, search_before_edit: { shape: "linear", weight: 0.1 } },
    };
    const r = replay(groups, before, after);
    assert.deepEqual([r.groups, r.dead], [40, { before: 20, after: 11, revived: 9, died: 0 }]);
    assert.equal(r.noOp, false);
    assert.equal(
      describeReward(r, { filterChanges: false })[0],
      "Dead groups (one reward for all rollouts) 50.0 % → 27.5 % of 40 groups: 9 of 20 dead groups revived.",
    );
  });

  it("a streak penalty of .01, .02 and .03 per call: 1, 7 and 26 order violations in 1,540 rollouts", () => {
    // 77 items × 20 rollouts under the flat reward: a pass is worth 1, a failure that is half right .5. How far the longest
    // run of one tool goes beyond the limit of 8 calls has a Pareto tail over the passes: the k-th longest of them is
    // 51 calls / k^0.335 beyond it. A pass falls below a failure with .5 once weight × calls beyond > .5, which is at 50,
    // 25 and 16.7 calls. The longest runs are in items that are solved but for one half right failure, so that each pass
    // that falls makes one violation.
    const limit = 8;
    const sample = (correctness: number, beyond: number): TestRollout => ({
      outcome: correctness === 1 ? "pass" : "fail",
      signals: { correctness, "rollout.longest_tool_streak": beyond === 0 ? 3 : limit + beyond },
    });
    const groups = Array.from({ length: 77 }, (_, item): TestGroup => {
      const beyond = Math.floor(51 * (item + 1) ** -0.335);
      const isEasy = item < 40;
      const others = Array.from({ length: 18 }, (_, i) => sample(isEasy ? 1 : i % 3 === 0 ? 0.3 : 0, 0));
      return { rollouts: [sample(1, beyond), sample(0.6, 0), ...others] };
    });
    const base: RewardTerms = { components: { correctness: { shape: "flat", weight: 1 } } };
    const streak = (weight: number): RewardTerms => ({
      components: {
        ...base.components,
        streak: { signal: "rollout.longest_tool_streak", above: limit, shape: "linear", weight: -weight },
      },
    });
    const counts = [0.01, 0.02, 0.03].map((weight) => {
      const r = replay(groups, base, streak(weight));
      assert.deepEqual([r.rollouts, r.violations.before.rollouts], [1540, 0]);
      assert.equal(r.violations.after.pairs, r.violations.after.rollouts);
      return r.violations.after.rollouts;
    });
    assert.deepEqual(counts, [1, 7, 26]);
  });

  it("a turn limit of 15 cuts off 6 to 17 % of the successes, a limit of 20 only 3 to 5 %", () => {
    // Turns of successful rollouts are log-normal: between a policy that solves most in 4 turns with a long tail (sigma
    // .86) and one that takes 10 turns throughout (sigma .4). 1,000 successes at the quantiles of that distribution.
    const versions = [
      { median: 4.1, sigma: 0.86 },
      { median: 7, sigma: 0.6 },
      { median: 10.5, sigma: 0.4 },
    ];
    const shares = versions.map(({ median, sigma }) => {
      const turns = Float64Array.from({ length: 1000 }, (_, i) =>
        Math.round(median * Math.exp(sigma * normalQuantile((i + 0.5) / 1000))),
      );
      const passes = new Uint8Array(1000).fill(outcomeCodes.pass);
      const { limits } = replayTruncation(turns, passes, [15, 20]);
      return limits.map((l) => l.misTruncated?.share ?? NaN);
    });
    const at = (i: number): number[] => shares.map((s) => s[i] ?? NaN);
    assert.deepEqual(
      [Math.min(...at(0)), Math.max(...at(0))].map((s) => Math.round(100 * s)),
      [6, 17],
    );
    for (const share of at(0)) assert.ok(share >= 0.06 && share <= 0.17, `${share}`);
    for (const share of at(1)) assert.ok(share >= 0.03 && share <= 0.05, `${share}`);
  });
});
