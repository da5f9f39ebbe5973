import assert from "node:assert/strict";
import { StdGroupFilter } from "../../../shared/reward/groupFilter.ts";
import { normalQuantile } from "../../../shared/model/normalQuantile.ts";
import type { RewardTerms } from "../../../shared/reward/reward.ts";
import { GroupFilter } from "../../../shared/spec/reward.ts";
import { seededRandom } from "../base/random.ts";
import { describeFilter } from "./describeFilter.ts";
import { replayFilter, type FilteredGroups, type FilterReplay } from "./filterReplay.ts";
import { replayGroups } from "./replayGroups.ts";
import { columnsOf, type TestGroup } from "../../../test/support/backtest/columns.ts";

const filterOf = (given: Partial<GroupFilter> = {}): GroupFilter =>
  GroupFilter.parse({ kind: "std", minKeep: 0, ...given });
const linear: RewardTerms = { components: { x: { shape: "linear", weight: 1 } } };

/** A group of two whose rewards have this standard deviation; the better one passes. */
const group = (spread: number, more: Partial<TestGroup> & { passes?: boolean } = {}): TestGroup => ({
  ...(more.run === undefined ? {} : { run: more.run }),
  step: more.step ?? 0,
  rollouts: [
    { outcome: more.passes === true ? "pass" : "fail", signals: { x: 2 * spread } },
    { outcome: "fail", signals: { x: 0 } },
  ],
});

function filtered(groups: readonly TestGroup[], filter: GroupFilter): FilteredGroups {
  const columns = columnsOf(groups, ["x"]);
  return replayFilter(columns, replayGroups(columns, { before: linear, after: linear }), {
    filter,
    reward: "after",
  });
}
const replay = (groups: readonly TestGroup[], filter: GroupFilter): FilterReplay =>
  filtered(groups, filter).replay;
const repeat = (n: number, make: (i: number) => TestGroup): TestGroup[] =>
  Array.from({ length: n }, (_, i) => make(i));

describe("filter replay", () => {
  it("computes the threshold by the closed form: mean − z(keep) · std of a moving mean and variance", () => {
    const spreads = Array.from({ length: 30 }, (_, i) => 0.2 + 0.01 * ((i * 7) % 13));
    const filter = new StdGroupFilter(filterOf());
    let mean = 0;
    let variance = 0;
    spreads.forEach((spread, i) => {
      filter.keep([spread]);
      // West's incremental form of the exponentially weighted mean and variance, the first value at its own weight.
      if (i === 0) mean = spread;
      else {
        variance = 0.9 * (variance + 0.1 * (spread - mean) ** 2);
        mean = 0.9 * mean + 0.1 * spread;
      }
    });
    assert.ok(Math.abs((filter.average?.mean ?? 0) - mean) < 1e-12);
    assert.ok(Math.abs((filter.threshold ?? 0) - (mean - 1.2815515655 * Math.sqrt(variance))) < 1e-9);
  });

  it("drops a share of about 1 − keep when the spreads are normally distributed", () => {
    const random = seededRandom(1);
    const spreads = Array.from({ length: 4000 }, () => 1 + 0.1 * normalQuantile(random()));
    const filter = new StdGroupFilter(filterOf({ decay: 0.01 }));
    const kept = filter.keep(spreads).filter(Boolean).length;
    assert.ok(Math.abs(kept / 4000 - 0.9) < 0.02, `${kept / 4000}`);
  });

  it("drops only dead groups in the warm-up of max(20, 1 / decay) groups, or as long as the spec says", () => {
    const low = [...repeat(40, (i) => group(i % 2 === 0 ? 0.4 : 0.6)), group(0), group(0.01)];
    const steps = low.map((g, step) => ({ ...g, step }));
    for (const [filter, droppedLow] of [
      [filterOf(), 1],
      [filterOf({ decay: 0.02 }), 0],
      [filterOf({ warmup: 100 }), 0],
      [filterOf({ decay: 0.02, warmup: 5 }), 1],
    ] as const) {
      const r = replay(steps, filter);
      assert.deepEqual([r.low, r.dead], [droppedLow, 1]);
    }
    assert.equal(replay(steps, filterOf()).steps[19]?.threshold, null);
    assert.equal(typeof replay(steps, filterOf()).steps[20]?.threshold, "number");
  });

  it("keeps at least minKeep groups of a step, the widest first, and never a dead one", () => {
    const warm = repeat(20, () => group(0.5));
    const step = [0.02, 0.03, 0, 0.01].map((s) => group(s, { step: 1 }));
    const { replay: r, keeps } = filtered([...warm, ...step], filterOf({ minKeep: 0.5 }));
    assert.deepEqual(keeps.slice(20), [true, true, false, false]);
    assert.deepEqual(
      r.steps.map(({ kept, dead, low, rescued }) => [kept, dead, low, rescued]),
      [
        [20, 0, 0, 0],
        [2, 1, 1, 2],
      ],
    );
    assert.deepEqual(
      replay([...warm, ...repeat(4, () => group(0, { step: 1 }))], filterOf({ minKeep: 1 })).dead,
      4,
    );
  });

  it("keeps the widest groups that together have the wanted share of the spread in mode top-p", () => {
    const step = [0.5, 0.1, 0.3, 0.1, 0].map((s) => group(s));
    const topP = (keep: number): boolean[] => [
      ...filtered(step, filterOf({ mode: "top-p", warmup: 0, keep })).keeps,
    ];
    assert.deepEqual(topP(0.5), [true, false, false, false, false]);
    assert.deepEqual(topP(0.8), [true, false, true, false, false]);
    assert.deepEqual(topP(0.9), [true, true, true, false, false]);
    assert.deepEqual(topP(1), [true, true, true, true, false]);
  });

  it("keeps every living group when keep is 1, however even the spreads are", () => {
    assert.equal(
      replay(
        repeat(30, () => group(0.5)),
        filterOf({ keep: 1 }),
      ).kept,
      30,
    );
  });

  it("filters each run separately, and says where steps are missing from the archive", () => {
    const run = (name: string, steps: readonly number[], spread: number): TestGroup[] =>
      steps.map((step) => group(spread, { run: name, step }));
    const even = Array.from({ length: 25 }, (_, i) => i);
    const found = filtered([...run("a", even, 0.9), ...run("b", [0, 5, 10], 0.1)], filterOf());
    const r = found.replay;
    assert.deepEqual([r.low, r.runs, r.runsInWarmup, r.runsWithGaps], [0, 2, 1, 1]);
    const words = describeFilter(filterOf(), found, found).join("\n");
    assert.match(words, /In 1 of 2 runs it never starts/);
    assert.match(words, /1 of 2 runs has steps that are not archived/);
    assert.match(words, /it changes nothing/);
  });

  it("warns of a filter that starves the training, and counts dropped groups that contain passes", () => {
    const groups = [
      ...repeat(20, () => group(0.5)),
      ...repeat(60, () => group(0.01, { step: 1, passes: true })),
    ];
    const found = filtered(groups, filterOf({ decay: 0.001, warmup: 20 }));
    const r = found.replay;
    assert.deepEqual([r.keepRatio, r.lowWithPass, r.deadWithPass], [0.25, 60, 0]);
    const words = describeFilter(filterOf(), found, null).join("\n");
    assert.match(words, /keeps 25\.0 % of 80 groups: it drops 0 without spread and 60 with a low one/);
    assert.match(words, /starves the training/);
    assert.match(words, /60 groups dropped for a low spread have a rollout that passed/);
  });

  it("gives an answer for no groups", () => {
    const found = filtered([], filterOf());
    const r = found.replay;
    assert.deepEqual([r.keepRatio, r.steps], [null, []]);
    assert.deepEqual(describeFilter(filterOf(), found, null), []);
  });
});
