import assert from "node:assert/strict";
import { checkMarked } from "../../../../test/support/language/markedText.ts";
import { interventionWith, sampleProject } from "../../../../test/support/language/sampleProject.ts";
import { editValue } from "./edit-value.ts";

const check = (edits: string, files = sampleProject) =>
  checkMarked({ kind: "intervention", text: interventionWith(edits), rules: [editValue], files });

describe("rule edit-value", () => {
  it("accepts another value of the same type", () => {
    check(`  - { file: harness/main.reward.yaml, path: components.correctness.shape, from: flat, to: binary }
  - { file: harness/config.json, path: temperature, from: 1, to: 1.5 }
  - { file: harness/config.json, path: top_k, from: null, to: 50 }`);
  });

  it("refuses another type, and an edit that changes nothing", () => {
    check(`  - { file: harness/config.json, path: temperature, from: 1, to: hot }
                                                                 ^^^ edit-value: hot is a text, but temperature is a number.
  - { file: harness/config.json, path: workers, from: 2, to: 2 }
                                                             ^ edit-value: workers stays 2: this edit changes nothing.`);
  });

  it("checks the schema of an edited spec", () => {
    const { fixes, fixed } =
      check(`  - { file: harness/main.reward.yaml, path: components.correctness.shape, from: flat, to: binry }
                                                                                          ^^^^^ edit-value: components.correctness.shape must be linear, flat or binary, not binry.`);
    assert.deepEqual(fixes, ["Change to binary"]);
    assert.match(fixed, /to: binary }/);
    check(
      `  - { file: harness/main.reward.yaml, path: filter.keep, from: 0.9, to: 2 }
                                                                        ^ edit-value: harness/main.reward.yaml is no longer valid`,
      {
        ...sampleProject,
        "harness/main.reward.yaml": `${sampleProject["harness/main.reward.yaml"] ?? ""}  keep: 0.9\n`,
      },
    );
  });

  it("checks the schema that the surface of a config names", () => {
    const files = {
      ...sampleProject,
      "evotrainer.yaml": (sampleProject["evotrainer.yaml"] ?? "").replace(
        "file: harness/config.json }",
        "file: harness/config.json, schema: harness/config.schema.json }",
      ),
      "harness/config.schema.json": JSON.stringify({
        $schema: "https://json-schema.org/draft/2020-12/schema",
        properties: {
          loss: { enum: ["grpo", "dapo"] },
          workers: { type: "integer" },
          sampling: { $ref: "#/$defs/s" },
        },
        $defs: { s: { properties: { top_k: { type: ["integer", "null"] } } } },
      }),
    };
    check(
      `  - { file: harness/config.json, path: loss, from: grpo, to: dr }
                                                             ^^ edit-value: harness/config.schema.json allows grpo or dapo for loss, not dr.
  - { file: harness/config.json, path: workers, from: 2, to: 2.5 }
                                                             ^^^ edit-value: needs integer for workers, not 2.5.
  - { file: harness/config.json, path: sampling.top_k, from: 5, to: null }`,
      files,
    );
  });
});
