import assert from "node:assert/strict";
import { checkMarked } from "../../../../test/support/language/markedText.ts";
import { interventionWith, sampleProject } from "../../../../test/support/language/sampleProject.ts";
import { currentValue } from "./current-value.ts";

const check = (edits: string, files = sampleProject) =>
  checkMarked({ kind: "intervention", text: interventionWith(edits), rules: [currentValue], files });

describe("rule current-value", () => {
  it("accepts the present value, whatever its type", () => {
    check(`  - { file: harness/main.reward.yaml, path: components.correctness.shape, from: flat, to: binary }
  - { file: harness/config.json, path: temperature, from: 1.0, to: 2 }`);
  });

  it("offers the present value", () => {
    const { fixes, fixed } = check(`  - file: harness/main.reward.yaml
    path: components.correctness.shape
    from: linear
          ^^^^^^ current-value: components.correctness.shape of harness/main.reward.yaml is flat, not linear.
    to: binary`);
    assert.deepEqual(fixes, ["Change to flat"]);
    assert.match(fixed, /from: flat\n/);
  });

  it("distinguishes a text that looks like a number from the number", () => {
    const { fixed } = check(`  - { file: harness/config.json, path: workers, from: "2", to: 3 }
                                                      ^^^ current-value: is 2, not "2".`);
    assert.match(fixed, /from: 2, to/);
  });

  it("suggests a similar path", () => {
    const { fixed } =
      check(`  - { file: harness/main.reward.yaml, path: components.corectness.shape, from: flat, to: binary }
                                            ^^^^^^^^^^^^^^^^^^^^^^^^^^^ current-value: Did you mean components.correctness.shape?`);
    assert.match(fixed, /path: components.correctness.shape, from/);
  });

  it("suggests a similar file", () => {
    const { fixed } = check(`  - { file: harness/mian.reward.yaml, path: a, from: 1, to: 2 }
            ^^^^^^^^^^^^^^^^^^^^^^^^ current-value: The project has no file harness/mian.reward.yaml.`);
    assert.match(fixed, /file: harness\/main.reward.yaml,/);
  });

  it("suggests no file that is missing itself", () => {
    const { ["harness/config.json"]: _, ...files } = sampleProject;
    const { fixes } = check(
      `  - { file: harness/config.json, path: temperature, from: 1, to: 2 }
            ^^^^^^^^^^^^^^^^^^^ current-value: The project has no file harness/config.json.`,
      files,
    );
    assert.deepEqual(fixes, []);
  });

  it("refuses to replace a mapping", () => {
    check(`  - { file: harness/main.reward.yaml, path: components.correctness, from: flat, to: binary }
                                            ^^^^^^^^^^^^^^^^^^^^^^ current-value: is a list or a mapping`);
  });

  it("reads nothing from the prototype of an object", () => {
    check(`  - { file: harness/config.json, path: constructor.name, from: Object, to: x }
                                       ^^^^^^^^^^^^^^^^ current-value: has no value at constructor.name`);
  });

  it("leaves a broken file to other rules", () => {
    check(`  - { file: harness/main.reward.yaml, path: a, from: 1, to: 2 }`, {
      ...sampleProject,
      "harness/main.reward.yaml": "a: [",
    });
  });
});
