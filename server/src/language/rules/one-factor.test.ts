import assert from "node:assert/strict";
import { checkMarked } from "../../../../test/support/language/markedText.ts";
import { interventionWith, sampleProject } from "../../../../test/support/language/sampleProject.ts";
import { allRules } from "../checks/ruleSet.ts";
import { oneFactor } from "./one-factor.ts";

const check = (edits: string, factor?: string, files = sampleProject) =>
  checkMarked({ kind: "intervention", text: interventionWith(edits, factor), rules: [oneFactor], files });

describe("rule one-factor", () => {
  it("accepts edits of one factor", () => {
    check(
      `  - { file: harness/main.reward.yaml, path: components.correctness.shape, from: flat, to: binary }`,
    );
    check(`  - { file: harness/config.json, path: temperature, from: 1, to: 2 }`, "optimisation");
  });

  it("refuses an edit of another factor and offers the factor of that edit", () => {
    const { fixes, fixed } = check(`  - file: harness/main.reward.yaml
    path: filter.kind
          ^^^^^^^^^^^ one-factor: belongs to the factor "filter", but this intervention changes "reward".
    from: none
    to: std`);
    assert.deepEqual(fixes, ['Change the factor to "filter"']);
    assert.match(fixed, /\nfactor: filter\n/);
  });

  it("offers no split for a text that has no file", () => {
    const { fixes } =
      check(`  - { file: harness/main.reward.yaml, path: components.correctness.shape, from: flat, to: binary }
  - { file: harness/main.reward.yaml, path: filter.kind, from: none, to: std }
                                            ^^^^^^^^^^^ one-factor: "filter"`);
    assert.deepEqual(fixes, []);
  });

  it("splits edits of several factors", () => {
    const text =
      interventionWith(`  - { file: harness/main.reward.yaml, path: components.correctness.shape, from: flat, to: binary }
  # two more
  - { file: harness/main.reward.yaml, path: filter.kind, from: none, to: std }
                                            ^^^^^^^^^^^ one-factor: "filter"
  - { file: harness/config.json, path: temperature, from: 1, to: 2 }
                                       ^^^^^^^^^^^ one-factor: "optimisation"`);
    const { fixes, fixed, created } = checkMarked({
      kind: "intervention",
      path: "harness/interventions/binary-reward.intervention.yaml",
      text,
      rules: [oneFactor],
      files: sampleProject,
    });
    // The same fix is offered at each of the two edits that do not belong.
    assert.deepEqual([...new Set(fixes)], ["Split into 3 interventions, one per factor"]);
    assert.deepEqual(Object.keys(created), [
      "harness/interventions/binary-reward-filter.intervention.yaml",
      "harness/interventions/binary-reward-optimisation.intervention.yaml",
    ]);
    const [filter = "", optimisation = ""] = Object.values(created);
    assert.match(filter, /^name: binary-reward-filter$/m);
    for (const part of [filter, optimisation])
      checkMarked({ kind: "intervention", text: part, rules: allRules, files: sampleProject });
    assert.ok(fixed.includes("components.correctness.shape") && !fixed.includes("filter.kind"));
  });

  it("allows bookkeeping with any factor, and says so", () => {
    const files = {
      ...sampleProject,
      "harness/config.json": '{ "temperature": 1, "save_steps": 10, "workers": 2 }',
    };
    check(
      `  - { file: harness/main.reward.yaml, path: components.correctness.shape, from: flat, to: binary }
  - { file: harness/config.json, path: save_steps, from: 10, to: 20 }`,
      "reward",
      files,
    );
    check(
      `  - { file: harness/config.json, path: temperature, from: 1, to: 2 }
                                       ^^^^^^^^^^^ one-factor: Bookkeeping does not count: save_steps.
  - { file: harness/config.json, path: save_steps, from: 10, to: 20 }`,
      "reward",
      files,
    );
  });

  it("refuses values and files outside the surfaces", () => {
    check(`  - { file: harness/main.reward.yaml, path: name, from: main, to: x }
                                            ^^^^ one-factor: No surface of evotrainer.yaml covers name
  - { file: train.mjs, path: a, from: 1, to: 2 }
            ^^^^^^^^^ one-factor: declared surfaces only`);
  });

  it("does not mistake a longer name for a path below", () => {
    check(`  - { file: harness/main.reward.yaml, path: components2.x, from: 1, to: 2 }
                                            ^^^^^^^^^^^^^ one-factor`);
  });

  it("says nothing without a valid project", () => {
    check(`  - { file: nowhere, path: a, from: 1, to: 2 }`, "reward", {});
    check(`  - { file: nowhere, path: a, from: 1, to: 2 }`, "reward", { "evotrainer.yaml": "name: 3" });
  });
});
