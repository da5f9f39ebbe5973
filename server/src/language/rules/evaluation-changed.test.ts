import assert from "node:assert/strict";
import { checkMarked } from "../../../../test/support/language/markedText.ts";
import { sampleProject } from "../../../../test/support/language/sampleProject.ts";
import { evaluationChanged } from "./evaluation-changed.ts";

const project = sampleProject["evotrainer.yaml"] ?? "";
const check = (
  text: string,
  more: Readonly<Record<string, string>> = {},
  parent: Readonly<Record<string, string>> = {},
) =>
  checkMarked({
    kind: "project",
    path: "evotrainer.yaml",
    text,
    rules: [evaluationChanged],
    files: { ...sampleProject, "harness/evaluate.yaml": "k: 4\n", ...more },
    parent: { "evotrainer.yaml": project, ...parent },
  });

describe("rule evaluation-changed", () => {
  it("accepts the parent's values, and changes outside the evaluation", () => {
    check(project);
    check(project.replace("name: sample", "name: other").replace("data/train.jsonl", "data/train2.jsonl"));
  });

  it("restores a split", () => {
    const { fixed } = check(
      project.replace(
        /selection: data.*\n/,
        `selection: data/easy.jsonl, audit: data/audit.jsonl }
                                                ^^^^^^^^^^^^^^^ evaluation-changed: evaluation.splits.selection is data/easy.jsonl, but v4 was measured with data/selection.jsonl.
`,
      ),
    );
    assert.equal(fixed, project);
  });

  it("notices another aggregator, and a file that is left out", () => {
    check(`${project.replace("  files: [harness/evaluate.yaml]", "  files: []\n         ^^ evaluation-changed: harness/evaluate.yaml is part of the evaluation of v4, but it is missing here.")}metric: { aggregator: micro }
                      ^^^^^ evaluation-changed: metric.aggregator is micro, but v4 was measured with macro.
`);
  });

  it("notices changed content", () => {
    check(
      project.replace(
        "  files: [harness/evaluate.yaml]",
        "  files: [harness/evaluate.yaml]\n          ^^^^^^^^^^^^^^^^^^^^^ evaluation-changed: The content of harness/evaluate.yaml differs from the one that v4",
      ),
      {},
      { "harness/evaluate.yaml": "k: 8\n" },
    );
  });
});
