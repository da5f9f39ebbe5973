import assert from "node:assert/strict";
import { checkMarked } from "../../../../test/support/language/markedText.ts";
import { noFacts } from "../../../../test/support/language/noFacts.ts";
import { interventionWith, sampleProject } from "../../../../test/support/language/sampleProject.ts";
import { knownMetric } from "./known-metric.ts";

const edit = "  - { file: harness/config.json, path: temperature, from: 1, to: 2 }";
const check = (metric: string, facts?: typeof noFacts) =>
  checkMarked({
    kind: "intervention",
    text: interventionWith(edit).replace(
      "hypothesis: { change: temperature, metric: dead_group_ratio, direction: decrease, because: spread }",
      `hypothesis:
  change: temperature
  metric: ${metric}
  direction: decrease
  because: spread`,
    ),
    rules: [knownMetric],
    files: { ...sampleProject, "a.diagnostic.yaml": "name: mine\n" },
    ...(facts && { facts }),
  });

describe("rule known-metric", () => {
  it("accepts the score, figures of a version, labels and the trainers' names of metrics", () => {
    for (const metric of ["solve_rate", "dead_group_ratio", "mine", "entropy"]) check(metric);
  });

  it("offers the metric that was meant", () => {
    const { fixed } = check(`dead_groups_ratio
          ^^^^^^^^^^^^^^^^^ known-metric: Nothing measures dead_groups_ratio. Did you mean dead_group_ratio?`);
    assert.match(fixed, /metric: dead_group_ratio\n/);
  });

  it("asks the archive which metrics the trainer writes, and reports nothing without an archive", () => {
    check("tool_budget_left");
    check(
      `tool_budget_left
          ^^^^^^^^^^^^^^^^ known-metric: Nothing measures tool_budget_left.`,
      noFacts,
    );
    const metrics = { tool_budget_left: { count: 1, min: 0, median: 0, max: 0 } };
    check("tool_budget_left", { ...noFacts, metrics });
  });

  it("says which metric decides", () => {
    const { fixed } = checkMarked({
      kind: "intervention",
      text: interventionWith(edit)
        .replace("success: { atLeast", `success: { metric: dead_group_ratio, atLeast`)
        .replace(
          "atLeast: 0.02 }",
          `atLeast: 0.02 }
                   ^^^^^^^^^^^^^^^^ known-metric: Only solve_rate`,
        ),
      rules: [knownMetric],
      files: sampleProject,
    });
    assert.match(fixed, /metric: solve_rate, atLeast/);
  });
});
