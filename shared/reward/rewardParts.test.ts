import assert from "node:assert/strict";
import { isPaidFailure, rewardParts, rewardReach, shapedTo } from "./rewardParts.ts";

describe("the reward of a rollout, term by term", () => {
  const spec = {
    components: {
      correctness: { shape: "binary", weight: 1 },
      tests: { shape: "linear", weight: 2, signal: "ran_tests" },
      off: { shape: "linear", weight: 0 },
    },
  } as const;

  it("is weight times shape of each signal, and unknown without one", () => {
    assert.deepEqual(rewardParts(spec, { correctness: 0.4, ran_tests: 1, off: 1 }), [
      { name: "correctness", signal: "correctness", weight: 1, value: 0.4, adds: 0.1 },
      { name: "tests", signal: "ran_tests", weight: 2, value: 1, adds: 2 },
    ]);
    assert.equal(rewardParts(spec, {})[1]?.adds, null);
  });

  it("tells a failure that is paid for", () => {
    const parts = rewardParts(spec, {});
    assert.equal(isPaidFailure("fail", 2, { parts, passed: null }), true);
    assert.equal(isPaidFailure("fail", 1, { parts, passed: null }), false);
    assert.equal(isPaidFailure("pass", 3, { parts, passed: null }), false);
    assert.equal(isPaidFailure("fail", 2, { parts: [], passed: null }), false);
    // Half of the tests for half of the reward is no pay for failing where a pass gets all of it.
    assert.equal(isPaidFailure("fail", 2, { parts, passed: 3 }), false);
    assert.equal(isPaidFailure("fail", 3, { parts, passed: 3 }), true);
  });
});

describe("how far a picture of a reward reaches", () => {
  for (const [what, parts, expected] of [
    ["what a signal of 1 gives, where it gave less", [[1, 0.5]], { low: 0, high: 1, highIs: "possible" }],
    ["what a term gave, where that is more", [[0.3, 0.9]], { low: 0, high: 0.9, highIs: "given" }],
    [
      "both sides of zero",
      [
        [1, 1],
        [-0.5, -0.2],
      ],
      { low: -0.5, high: 1, highIs: "possible" },
    ],
    ["what was not recorded", [[2, null]], { low: 0, high: 2, highIs: "possible" }],
    ["nothing of no terms", [], { low: 0, high: 0, highIs: "possible" }],
  ] as const)
    it(`is ${what}`, () =>
      assert.deepEqual(rewardReach(parts.map(([weight, adds]) => ({ weight, adds }))), expected));
});

describe("what the shape of a term makes of its signal", () => {
  for (const [what, weight, value, adds, expected] of [
    ["nothing else", 0.3, 0.7, 0.21, undefined],
    ["a step", 2, 0.875, 1, 0.5],
    ["nothing that is known", 1, null, null, undefined],
  ] as const)
    it(`is ${what}`, () => assert.equal(shapedTo({ weight, value, adds }), expected));
});
