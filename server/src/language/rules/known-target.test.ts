import assert from "node:assert/strict";
import { checkMarked } from "../../../../test/support/language/markedText.ts";
import { interventionWith, sampleProject } from "../../../../test/support/language/sampleProject.ts";
import { knownTarget } from "./known-target.ts";

const edit = "  - { file: harness/config.json, path: temperature, from: 1, to: 2 }";
const check = (targets: string, more = "", files = sampleProject) =>
  checkMarked({
    kind: "intervention",
    text: interventionWith(edit, "optimisation").replace("targets: [insufficient-signal]", targets) + more,
    rules: [knownTarget],
    files,
  });

describe("rule known-target", () => {
  it("accepts diagnostics of the library and of the project", () => {
    check("targets: [insufficient-signal, low-score]");
    check("targets: [mine]", "", {
      ...sampleProject,
      "a.diagnostic.yaml": "name: mine\nlabel: { when: broken(",
    });
  });

  it("offers the name that was meant", () => {
    const { fixes, fixed } = check(`targets:
  - insufficient-signal
  - low-scores
    ^^^^^^^^^^ known-target: No diagnostic of the project or its library is called low-scores. Did you mean low-score?`);
    assert.deepEqual(fixes, ["Change to low-score"]);
    assert.match(fixed, /- low-score\n/);
  });

  it("reports a diagnostic of the library that the project does not use", () => {
    const project = (sampleProject["evotrainer.yaml"] ?? "") + "library: { use: none }\n";
    const files = {
      ...sampleProject,
      "evotrainer.yaml": project,
      "a.diagnostic.yaml": "name: length-gaming\n",
    };
    check(
      `targets: [insufficient-signal]
          ^^^^^^^^^^^^^^^^^^^ known-target`,
      "",
      files,
    );
  });

  it("checks predictions as well", () => {
    checkMarked({
      kind: "intervention",
      text: interventionWith(edit).replace(
        "risks: [length-gaming] }",
        `risks: [length-gaming], fixes: [nothing-of-the-kind] }
                                            ^^^^^^^^^^^^^^^^^^^ known-target: is called nothing-of-the-kind.`,
      ),
      rules: [knownTarget],
      files: sampleProject,
    });
  });
});
