import assert from "node:assert/strict";
import { findings, type Signals } from "./rules.ts";

const quiet: Signals = {
  dead_group_ratio: 0.1,
  top_reward_share: 0.3,
  reward_spread: 0.2,
  turns_mean: 8,
  turns_mean_failed: 9,
  edit_failure_rate: 0.05,
};
const names = (signals: Partial<Signals>): string[] =>
  findings({ ...quiet, ...signals }, [], null).map((f) => `${f.severity} ${f.name}`);

describe("findings", () => {
  for (const [what, signals, expected] of [
    ["a healthy version", {}, []],
    ["dead groups without one dominant reward", { dead_group_ratio: 0.6 }, []],
    ["R1", { dead_group_ratio: 0.31, top_reward_share: 0.51 }, ["warning insufficient-signal"]],
    [
      "R1 above one half",
      { dead_group_ratio: 0.63, top_reward_share: 0.63 },
      ["critical insufficient-signal"],
    ],
    ["R2", { turns_mean: 10, turns_mean_failed: 15.1 }, ["warning echo-trap-rule"]],
    ["R6", { edit_failure_rate: 0.16 }, ["warning poor-edits"]],
    [
      "evidence that lacks the signals",
      { dead_group_ratio: null, turns_mean: null, edit_failure_rate: null },
      [],
    ],
  ] satisfies readonly (readonly [string, Partial<Signals>, readonly string[]])[])
    it(`says ${expected.join() || "nothing"} of ${what}`, () => assert.deepEqual(names(signals), expected));

  it("puts alerts of labels in order of severity", () => {
    const label = { severity: "warning", rollouts: 100, invalidates: false } as const;
    const found = findings(
      quiet,
      [
        { ...label, name: "abandon", labelled: 20, alert: "warning" },
        { ...label, name: "echo-trap", labelled: 40, alert: "critical" },
        { ...label, name: "blind-edit", labelled: 1, alert: null },
      ],
      null,
    );
    assert.deepEqual(
      found.map((f) => f.name),
      ["echo-trap", "abandon"],
    );
  });
});
