import assert from "node:assert/strict";
import { hypothesisText, isForAnotherReason, reasonWithAlerts } from "./hypothesisText.ts";
import { weighHypothesis, type HypothesisFacts, type NamedChange } from "./weighHypothesis.ts";

const change = (
  label: string,
  kind: NamedChange["kind"],
  [from, to]: readonly [number, number] = [0.2, 0.1],
  over: NamedChange["over"] = "rollout",
): NamedChange => ({ label, kind, over, from, to, low: to - from - 0.05, high: to - from + 0.05 });

const facts: HypothesisFacts = {
  hypothesis: { metric: "dead_group_ratio", direction: "decrease" },
  targets: ["insufficient-signal"],
  fixes: [],
  risks: [],
  metric: { unit: "share", from: 0.4, to: 0.2, low: -0.28, high: -0.12, because: null },
  changes: [],
  bestSteps: null,
};
const metric = (of: Partial<NonNullable<HypothesisFacts["metric"]>>): HypothesisFacts["metric"] => ({
  ...{ unit: "share", from: 0.4, to: 0.2, low: -0.28, high: -0.12, because: null },
  ...of,
});

describe("what became of a hypothesis", () => {
  for (const [what, given, moved, says] of [
    [
      "moved as it said",
      facts.metric,
      "as_said",
      "dead_group_ratio fell as its hypothesis says: 40.0 % → 20.0 %, difference −20.0 points [−28.0, −12.0].",
    ],
    [
      "moved the other way",
      metric({ to: 0.6, low: 0.1, high: 0.3 }),
      "against",
      "dead_group_ratio was expected to fall, but rose: 40.0 % → 60.0 %, difference +20.0 points [+10.0, +30.0].",
    ],
    [
      "moved no more than chance would",
      metric({ to: 0.39, low: -0.04, high: 0.02 }),
      "not",
      "dead_group_ratio was expected to fall, but did not: 40.0 % → 39.0 %, difference −1.0 points [−4.0, +2.0].",
    ],
    [
      "has no interval",
      metric({ low: null, high: null, because: "it is one number" }),
      "cannot_tell",
      "Nobody can tell whether dead_group_ratio fell: it is one number (40.0 % → 20.0 %).",
    ],
    [
      "has one value on both sides",
      metric({ to: 0.4, low: null, high: null }),
      "not",
      "dead_group_ratio was expected to fall, but did not: 40.0 % → 40.0 %.",
    ],
    [
      "is not measured",
      null,
      "cannot_tell",
      "Nobody can tell whether dead_group_ratio fell: nothing measures dead_group_ratio.",
    ],
  ] as const)
    it(`says that its metric ${what}`, () => {
      const result = weighHypothesis({ ...facts, metric: given });
      assert.equal(result.moved, moved);
      assert.deepEqual(hypothesisText(result), [says]);
      assert.equal(isForAnotherReason(result), moved === "not" || moved === "against");
    });

  it("tells predictions and side effects apart, and counts its own metric and its targets as neither", () => {
    const result = weighHypothesis({
      ...facts,
      fixes: ["echo-trap", "abandon", "unknown-label", "insufficient-signal"],
      risks: ["truncation", "length-gaming"],
      changes: [
        change("echo-trap", "fell"),
        change("abandon", "within_noise", [0.1, 0.1]),
        change("truncation", "rose", [0.1, 0.3]),
        change("length-gaming", "within_noise"),
        change("idle", "appeared", [0, 0.2]),
        change("dead_group_ratio", "fell"),
        change("insufficient-signal", "vanished", [0, 0], "version"),
        change("over-filtering", "appeared", [0, 0], "version"),
      ],
    });
    assert.deepEqual(
      result.fixes.map((f) => [f.name, f.over, f.result]),
      [
        ["echo-trap", "rollout", "hit"],
        ["abandon", "rollout", "within_noise"],
        ["unknown-label", "rollout", "not_measured"],
        ["insufficient-signal", "version", "hit"],
      ],
    );
    assert.deepEqual(
      result.risks.map((r) => [r.name, r.result]),
      [
        ["truncation", "hit"],
        ["length-gaming", "within_noise"],
      ],
    );
    assert.deepEqual(
      result.sideEffects.map((s) => [s.name, s.kind]),
      [
        ["idle", "appeared"],
        ["over-filtering", "appeared"],
      ],
    );
    assert.deepEqual(hypothesisText(result).slice(1), [
      "echo-trap fell from 20.0 % to 10.0 % of the rollouts, as predicted; abandon was expected to become rarer, but did not (10.0 % → 10.0 % of the rollouts); nobody can tell whether unknown-label became rarer; the finding insufficient-signal is gone, as predicted.",
      "truncation rose from 10.0 % to 30.0 % of the rollouts, as was feared.",
      "Nobody foresaw that idle would rise from 0 % to 20.0 % of the rollouts; the finding over-filtering would appear.",
    ]);
  });

  it("tells first what the version has an alert for, the worst of it, and of that what rose", () => {
    const result = weighHypothesis({
      ...facts,
      changes: [
        change("a-short", "fell"),
        change("b-short", "fell"),
        change("c-short", "fell"),
        change("d-short", "fell"),
        change("dead-group", "fell"),
        change("gives-up", "appeared", [0, 0.4]),
        change("idle", "rose", [0.1, 0.2]),
      ],
    });
    const labels = [
      { name: "dead-group", alert: "warning" },
      { name: "gives-up", alert: "warning" },
      { name: "idle", alert: "critical" },
      { name: "a-short", alert: null },
    ] as const;
    const told = hypothesisText(result, labels).at(-1) ?? "";
    assert.match(
      told,
      /^Nobody foresaw that idle would rise from 10\.0 % to 20\.0 % of the rollouts \(critical alert\); gives-up would rise from 0 % to 40\.0 % of the rollouts \(warning alert\); dead-group would fall/,
    );
    // As earlier releases wrote it into ledgers.
    const written = ["Better: +2.0 points.", ...hypothesisText(result)].join(" ");
    assert.doesNotMatch(written, /gives-up/);
    assert.equal(
      reasonWithAlerts(written, result, labels),
      ["Better: +2.0 points.", ...hypothesisText(result, labels)].join(" "),
    );
    assert.equal(reasonWithAlerts("Guardrail: x.", result, labels), "Guardrail: x.");
    assert.equal(reasonWithAlerts("Guardrail: x.", undefined, labels), "Guardrail: x.");
  });

  it("says where a gain does not hold at the best step", () => {
    const bestSteps = { step: 30, parentStep: 20, difference: 0.01, low: -0.02, high: 0.04 } as const;
    const text = (verdict: "improved" | "inside_noise", holds: boolean): string | undefined =>
      hypothesisText(weighHypothesis({ ...facts, bestSteps: { ...bestSteps, verdict, holds } })).at(-1);
    assert.match(
      text("inside_noise", false) ?? "",
      /\(30 against 20\).*inside the noise: the verdict holds for the last step only\./,
    );
    assert.match(text("improved", true) ?? "", /\+1\.0 points \[−2\.0, \+4\.0\] as well\.$/);
  });
});
