import assert from "node:assert/strict";
import { isPaidFailure, rewardParts } from "./rewardParts.ts";

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
