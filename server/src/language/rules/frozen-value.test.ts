import { checkMarked } from "../../../../test/support/language/markedText.ts";
import { interventionWith, sampleProject } from "../../../../test/support/language/sampleProject.ts";
import { frozenValue } from "./frozen-value.ts";

describe("rule frozen-value", () => {
  it("refuses frozen values and files of the evaluation", () => {
    checkMarked({
      kind: "intervention",
      text: interventionWith(`  - { file: harness/config.json, path: workers, from: 2, to: 4 }
                                       ^^^^^^^ frozen-value: workers of harness/config.json is frozen
  - { file: harness/config.json, path: temperature, from: 1, to: 2 }
  - { file: harness/evaluate.yaml, path: a, from: 1, to: 2 }
            ^^^^^^^^^^^^^^^^^^^^^ frozen-value: part of the evaluation
  - { file: data/audit.jsonl, path: a, from: 1, to: 2 }
            ^^^^^^^^^^^^^^^^ frozen-value`),
      rules: [frozenValue],
      files: sampleProject,
    });
  });
});
