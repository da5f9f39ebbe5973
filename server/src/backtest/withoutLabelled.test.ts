import assert from "node:assert/strict";
import { columnsOf, type TestGroup } from "../../../test/support/backtest/columns.ts";
import { describeWithoutLabelled, withoutLabelled, type WithoutLabelled } from "./withoutLabelled.ts";

const group = (...rewards: readonly (number | null)[]): TestGroup => ({
  rollouts: rewards.map((reward) => ({
    outcome: "unknown",
    signals: {},
    ...(reward === null ? {} : { reward }),
  })),
});
/** Rollouts are labelled by their place among all. */
const without = (groups: readonly TestGroup[], labelled: readonly number[]): WithoutLabelled =>
  withoutLabelled(columnsOf(groups, []), new Set(labelled));

describe("advantages without labelled rollouts", () => {
  it("says how many groups have their gradient from them alone", () => {
    const found = without([group(0, 1), group(1, 1, 0), group(0, 1, 0)], [0, 3, 6]);
    assert.deepEqual([found.rewarded, found.zero, found.groups, found.touched], [3, 1, 3, 3]);
    assert.deepEqual([found.living, found.onlyBy], [3, 2]);
    // In the second group the labelled one is a 1: the others, 1 and 0, keep their gradient and their signs.
    assert.deepEqual([found.others, found.flipped, found.vanished, found.appeared], [5, 0, 3, 0]);
    const told = describeWithoutLabelled("v0", found).join(" ");
    assert.match(told, /3 labelled rollouts have a reward, 1 of them 0\./);
    assert.match(told, /Without them 2 of 3 groups with a gradient have none \(66\.7 %\)/);
    assert.match(
      told,
      /Of the 5 other rollouts in 3 of 3 groups, 0 change the sign .* 3 lose it and 0 gain one/,
    );
  });

  it("counts advantages that change their sign, and gained ones", () => {
    // 0.4 lies above the mean with the three zeros (0.35), and below it without them (0.7).
    const flips = without([group(0, 0, 0, 0.4, 1)], [0, 1, 2]);
    assert.deepEqual([flips.flipped, flips.others, flips.onlyBy], [1, 2, 0]);
    // 0.5 is the mean with the zero, and below it without.
    const gains = without([group(0, 0.5, 1)], [0]);
    assert.deepEqual([gains.appeared, gains.flipped], [1, 0]);
    assert.ok(Math.abs((gains.shift ?? 0) - (1 + Math.abs(Math.sqrt(1.5) - 1)) / 2) < 1e-9);
  });

  it("leaves out rewards that are not there, and groups without a labelled one", () => {
    const found = without([group(null, 1), group(0, 1), group(0)], [0, 4]);
    assert.deepEqual([found.rewarded, found.groups, found.touched, found.others], [1, 1, 0, 0]);
    assert.match(describeWithoutLabelled("v0", found).join(" "), /None shares a group/);
    assert.deepEqual(describeWithoutLabelled("v0", without([group(0, 1)], [])), []);
  });
});
