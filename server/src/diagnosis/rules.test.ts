import assert from "node:assert/strict";
import { shippedDiagnostics } from "../project/library.ts";
import { namedFacts } from "../predicate/facts.ts";
import { alertFindings, bySeverity } from "./rules.ts";
import type { VersionValues } from "./versionFacts.ts";
import { findingOf } from "./versionRules.ts";

const quiet: VersionValues = {
  score: 0.99,
  rollouts: 100,
  dead_group_ratio: 0.1,
  top_reward_share: 0.3,
  reward_spread: 0.2,
  turns_mean: 8,
  turns_mean_failed: 9,
  edit_failure_rate: 0.05,
};
const rules = shippedDiagnostics()
  .map(({ spec }) => spec)
  .filter((spec) => spec.over === "version" && spec.domains === undefined);

/** What the diagnostics over a version say of one with these values. */
const findings = (values: VersionValues, parent?: VersionValues) => {
  const facts = namedFacts({ ...quiet, ...values }, parent === undefined ? {} : { parent });
  return bySeverity(rules.map((spec) => findingOf(spec, facts)).filter((f) => f !== undefined));
};
const names = (values: VersionValues, parent?: VersionValues): string[] =>
  findings(values, parent).map((f) => `${f.severity} ${f.name}`);

describe("findings about a version", () => {
  for (const [what, values, expected] of [
    ["a healthy version", {}, []],
    ["a low score", { score: 0.3 }, ["info low-score"]],
    ["dead groups without one dominant reward", { dead_group_ratio: 0.6 }, []],
    [
      "R1",
      { reward_groups: 100, dead_group_ratio: 0.31, top_reward_share: 0.51 },
      ["info insufficient-signal"],
    ],
    [
      "R1 above one half",
      { reward_groups: 100, dead_group_ratio: 0.63, top_reward_share: 0.63 },
      ["info insufficient-signal"],
    ],
    ["R2", { rollouts: 40, turns_mean: 10, turns_mean_failed: 15.1 }, ["info echo-trap-rule"]],
    ["R2 with rising turns", { turns_rise: 3 }, ["info echo-trap-rule"]],
    ["R6", { edit_failure_rate: 0.16 }, ["info poor-edits"]],
    [
      "evidence that lacks the signals",
      { dead_group_ratio: null, turns_mean: null, edit_failure_rate: null, score: null },
      [],
    ],
    ["a job that crashed", { job_failure: "crash" }, ["critical job-crash"]],
  ] satisfies readonly (readonly [string, VersionValues, readonly string[]])[])
    it(`report ${expected.join() || "nothing"} for ${what}`, () => assert.deepEqual(names(values), expected));

  it("compare with the parent if the version has one", () => {
    const values = { reward_mean: 0.6, score: 0.96 };
    assert.deepEqual(names(values, { ...values, reward_mean: 0.5 }), ["info reward-hacking"]);
    assert.deepEqual(names(values, { ...values, reward_mean: 0.5, score: 0.9 }), []);
    assert.deepEqual(names(values), []);
  });

  it("are sentences that contain the values", () =>
    assert.deepEqual(
      [
        { reward_groups: 41, dead_group_ratio: 0.634, top_reward_share: 0.51 },
        { turns_mean: 10, turns_mean_failed: 15.12 },
      ].flatMap((values) => findings(values).map((f) => f.message)),
      [
        "63.4 % of the 41 groups have no reward spread, and one reward value holds 51.0 % of the rollouts (R1).",
        "Failed rollouts take 15.12 turns, all take 10 (R2).",
      ],
    ));
});

describe("alerts of labels", () => {
  it("become findings in order of severity, with their counts", () => {
    const label = { severity: "warning", rollouts: 100, invalidates: false } as const;
    const found = bySeverity(
      alertFindings([
        { ...label, name: "abandon", labelled: 20, alert: "warning" },
        { ...label, name: "dead-group", labelled: 63, alert: "critical", over: "group" },
        { ...label, name: "open", labelled: 20, undecided: 10, alert: "warning" },
        { ...label, name: "blind-edit", labelled: 1, alert: null },
      ]),
    );
    assert.deepEqual(
      found.map((f) => f.message),
      [
        "63.0 % of the groups are labelled dead-group.",
        "20.0 % of the rollouts are labelled abandon.",
        "22.2 % of 90 decided, 20.0 % to 30.0 % of all rollouts, are labelled open.",
      ],
    );
  });
});
