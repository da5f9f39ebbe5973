import assert from "node:assert/strict";
import fc from "fast-check";
import { composeReward, type RewardTerms } from "../../../shared/reward/reward.ts";
import { fuzzRuns } from "../../../test/support/base/fuzz.ts";
import { describeReward } from "./describeReward.ts";
import { replayGroups } from "./replayGroups.ts";
import { rewardColumn, type RewardSource } from "./rewardColumn.ts";
import { replayReward, type RewardReplay } from "./rewardReplay.ts";
import { columnsOf, type TestRollout } from "../../../test/support/backtest/columns.ts";

const rollout = (correctness: number, more: Readonly<Record<string, number>> = {}): TestRollout => ({
  outcome: correctness >= 1 ? "pass" : "fail",
  signals: { correctness, ...more },
});
type Shape = RewardTerms["components"][string]["shape"];
const only = (shape: Shape, weight = 1): RewardTerms => ({ components: { correctness: { shape, weight } } });
const withBonus = (weight: number, shape: Shape = "linear"): RewardTerms => ({
  components: { ...only(shape).components, bonus: { shape: "linear", weight } },
});

function replay(
  groups: readonly (readonly TestRollout[])[],
  before: RewardSource,
  after: RewardTerms,
): RewardReplay {
  const names = ["correctness", "bonus"];
  const columns = columnsOf(
    groups.map((rollouts) => ({ rollouts })),
    names,
  );
  return replayReward(columns, replayGroups(columns, { before, after }), after);
}
const say = (r: RewardReplay, filterChanges = false): string =>
  describeReward(r, { filterChanges }).join("\n");

describe("reward replay", () => {
  it("revives groups whose rewards fall into one flat tier", () => {
    const r = replay([[rollout(0.6), rollout(0.7)]], only("flat"), only("linear"));
    assert.deepEqual(r.dead, { before: 1, after: 0, revived: 1, died: 0 });
    assert.match(say(r), /100 % → 0 % of 1 group: 1 of 1 dead group revived\./);
  });
  it("says which groups die", () => {
    const r = replay([[rollout(0.6), rollout(0.7)]], only("linear"), only("flat"));
    assert.deepEqual(r.dead, { before: 0, after: 1, revived: 0, died: 1 });
    assert.match(say(r), /1 group that had a spread has none now/);
  });

  it("says of how many rollouts its means are, and how many of these have no known outcome", () => {
    const broken: TestRollout = { outcome: "unknown", signals: { correctness: 0 } };
    const means = (...group: readonly TestRollout[]): string =>
      say(replay([group], only("linear"), only("flat")));
    assert.match(means(rollout(0.6), broken), /over 2 rollouts, 1 of them with an unknown outcome\)/);
    assert.match(means(rollout(0.6), rollout(0.7)), /over 2 rollouts\);/);
  });

  for (const [what, after, noOp] of [
    ["a doubled weight", only("linear", 2), true],
    ["a bonus that every rollout gets", withBonus(0.3), true],
    ["another shape", only("flat"), false],
    ["the opposite sign", only("linear", -1), false],
  ] as const)
    it(`${noOp ? "calls" : "does not call"} ${what} a no-op under group normalisation`, () => {
      const group = [rollout(0.1, { bonus: 1 }), rollout(0.7, { bonus: 1 }), rollout(1, { bonus: 1 })];
      const r = replay([group], only("linear"), after);
      assert.equal(r.noOp, noOp);
      assert.equal(/No-op: in every group/.test(say(r)), noOp);
      assert.doesNotMatch(say(r, true), /No-op/);
      assert.equal(/^Only the filter changes something: /m.test(say(r, true)), noOp);
    });
  it("calls any positive scaling and shift a no-op, whatever the group", () =>
    fc.assert(
      fc.property(
        fc.array(fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 2, maxLength: 9 }), {
          minLength: 1,
          maxLength: 6,
        }),
        fc.double({ min: 0.125, max: 8, noNaN: true }),
        fc.double({ min: -2, max: 2, noNaN: true }),
        (groups, weight, constant) => {
          const given = groups.map((g) => g.map((x) => rollout(Math.round(x * 1000) / 1000, { bonus: 1 })));
          const after: RewardTerms = {
            components: {
              correctness: { shape: "linear", weight },
              bonus: { shape: "linear", weight: constant },
            },
          };
          assert.equal(replay(given, only("linear"), after).noOp, true);
        },
      ),
      { numRuns: fuzzRuns() },
    ));

  it("says in words that a bonus which nearly every rollout gets does nothing, and where it still makes a difference", () => {
    const many = Array.from({ length: 50 }, (_, g) => [
      rollout(1, { bonus: 1 }),
      rollout(0, { bonus: g === 0 ? 0 : 1 }),
    ]);
    const r = replay(many, only("linear"), withBonus(0.2));
    assert.deepEqual(r.terms[1], { name: "bonus", maximum: 0.2, saturation: 0.99, variesIn: 1 });
    assert.match(say(r), /bonus is given in full to 99\.0 % of the rollouts.*in only 1 of 50 groups/);
    const all = replay(many.slice(1), only("linear"), withBonus(0.2));
    assert.match(say(all), /bonus is given in full to 100 %.*a constant and does nothing/);
    const penalty = replay(many.slice(1), only("linear"), {
      components: { ...only("linear").components, bonus: { shape: "linear", weight: -1, above: 1 } },
    });
    assert.match(say(penalty), /bonus takes nothing from 100 % of the rollouts, so it is a constant/);
  });

  it("leaves out rollouts without a component and never takes the component for 0", () => {
    const incomplete: TestRollout = { outcome: "fail", signals: { correctness: 0 } };
    const broken: TestRollout = { outcome: "fail", signals: { correctness: 0, bonus: Infinity } };
    const whole = [rollout(1, { bonus: 0 }), rollout(0, { bonus: 0 })];
    const r = replay([[...whole, incomplete], whole, [incomplete, broken]], only("linear"), withBonus(1));
    assert.deepEqual([r.groups, r.rollouts, r.archived.rollouts], [2, 4, 7]);
    assert.deepEqual(r.leftOut, {
      rollouts: 3,
      incompleteGroups: 1,
      singles: 1,
      lacking: [{ signal: "bonus", missing: 2, notFinite: 1 }],
    });
    assert.match(
      say(r),
      /3 rollouts of 7 cannot be replayed and are left out \(2 rollouts without bonus, 1 rollout with bonus not a finite number\); 1 group is judged by the remaining rollouts/,
    );
    // A term that is switched off needs no signal.
    assert.equal(replay([[incomplete, rollout(1)]], only("linear"), withBonus(0)).leftOut.rollouts, 0);
  });

  it("gives an answer when there is nothing to compare", () => {
    const answers: readonly (readonly [readonly (readonly TestRollout[])[], boolean | null, RegExp])[] = [
      [[], null, /^There are no rollouts to replay\.$/],
      [[[rollout(1)], [rollout(0)]], null, /All 2 groups have one rollout/],
      [[[{ outcome: "pass", signals: {} }]], null, /Of 1 rollout none can be replayed/],
      [[[rollout(0), rollout(0)]], true, /No group has any spread, before or after/],
      [
        [["a", "b"].map(() => ({ outcome: "unknown", signals: { correctness: Math.E } }))],
        true,
        /Every outcome is unknown/,
      ],
      [[[rollout(0), rollout(0.5)]], true, /No group has both a passed and a failed rollout/],
    ];
    for (const [groups, noOp, words] of answers) {
      const r = replay(groups, only("linear"), only("linear"));
      assert.equal(r.noOp, noOp);
      assert.match(say(r), words);
      assert.doesNotMatch(say(r), /NaN|Infinity|undefined/);
    }
  });

  it("compares with the recorded reward when no spec is known, and says when a spec does not reproduce that reward", () => {
    const recorded = [
      { ...rollout(1), reward: 5 },
      { ...rollout(0), reward: 3 },
    ];
    const r = replay([recorded], "archived", only("linear"));
    assert.equal(r.noOp, true);
    assert.deepEqual(r.reproduced, { same: 2, compared: 2 });
    const spec = replay([recorded], only("linear"), only("linear"));
    assert.deepEqual(spec.reproduced, { same: 0, compared: 2 });
    assert.match(say(spec), /only 0 % of the recorded rewards/);
    const without = replay([[rollout(1), rollout(0)]], "archived", only("linear"));
    assert.deepEqual(without.leftOut.lacking, [{ signal: "reward", missing: 2, notFinite: 0 }]);
  });

  it("describes the rewards", () => {
    const r = replay([[0, 0, 0.5, 1].map((x) => rollout(x))], only("linear"), only("linear", 2));
    assert.deepEqual(
      { ...r.distribution.after, bins: r.distribution.after?.bins.filter((n) => n > 0) },
      {
        mean: 0.75,
        std: Math.sqrt(0.6875),
        min: 0,
        quartiles: [0, 0.5, 1.25],
        max: 2,
        distinct: 3,
        topReward: 0,
        topShare: 0.5,
        bins: [2, 1, 1],
      },
    );
  });

  it("adds up exactly as a trainer does", () =>
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            shape: fc.constantFrom<Shape>("linear", "flat", "binary"),
            weight: fc.double({ min: -2, max: 2, noNaN: true }),
            above: fc.option(fc.double({ min: -1, max: 1, noNaN: true }), { nil: undefined }),
            x: fc.double({ min: -1, max: 2, noNaN: true }),
          }),
          { maxLength: 6 },
        ),
        (terms) => {
          const spec: RewardTerms = {
            components: Object.fromEntries(
              terms.map(({ shape, weight, above }, i) => [
                `t${i}`,
                { shape, weight, ...(above === undefined ? {} : { above }) },
              ]),
            ),
          };
          const signals = Object.fromEntries(terms.map(({ x }, i) => [`t${i}`, x]));
          const columns = columnsOf([{ rollouts: [{ outcome: "pass", signals }] }]);
          assert.equal(rewardColumn(columns, spec)[0], composeReward(spec, signals));
        },
      ),
      { numRuns: fuzzRuns() },
    ));
});
