import assert from "node:assert/strict";
import { alertOfTally } from "./alertOfTally.ts";

const alert = { above: 0.1, critical: 0.3 };

describe("the alert of a label", () => {
  for (const [labelled, rollouts, expected] of [
    [1, 3, { alert: null, tooFew: true }],
    [2, 3, { alert: "warning" }],
    [5, 5, { alert: "critical" }],
    [12, 100, { alert: null, tooFew: true }],
    [18, 100, { alert: "warning" }],
    [42, 100, { alert: "critical" }],
    [10, 100, { alert: null }],
    [0, 0, { alert: null }],
  ] as const)
    it(`of ${labelled} in ${rollouts} is ${JSON.stringify(expected)}`, () =>
      assert.deepEqual(alertOfTally({ labelled, rollouts }, alert), expected));
  it("needs one rollout where the threshold is 0", () =>
    assert.deepEqual(alertOfTally({ labelled: 1, rollouts: 500 }, { above: 0 }), {
      alert: "warning",
    }));
  it("counts what is undecided as clear", () =>
    assert.deepEqual(alertOfTally({ labelled: 20, undecided: 40, rollouts: 100 }, alert), {
      alert: "warning",
    }));
});
