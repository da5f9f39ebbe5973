import assert from "node:assert/strict";
import { checkMarked } from "../testing/markedText.ts";
import { interventionWith, sampleProject } from "../testing/sampleProject.ts";
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

  it("refuses an edit of another factor and offers the factor it belongs to", () => {
    const { fixes, fixed } = check(`  - file: harness/main.reward.yaml
    path: filter.kind
          ^^^^^^^^^^^ one-factor: belongs to the factor "filter", but this intervention changes "reward".
    from: none
    to: std`);
    assert.deepEqual(fixes, ['Change the factor to "filter"']);
    assert.match(fixed, /\nfactor: filter\n/);
  });

  it("offers nothing when the edits belong to two factors", () => {
    const { fixes } =
      check(`  - { file: harness/main.reward.yaml, path: components.correctness.shape, from: flat, to: binary }
  - { file: harness/main.reward.yaml, path: filter.kind, from: none, to: std }
                                            ^^^^^^^^^^^ one-factor: "filter"`);
    assert.deepEqual(fixes, []);
  });

  it("refuses values and files outside the surfaces", () => {
    check(`  - { file: harness/main.reward.yaml, path: name, from: main, to: x }
                                            ^^^^ one-factor: No surface of evotrainer.yaml covers name
  - { file: train.mjs, path: a, from: 1, to: 2 }
            ^^^^^^^^^ one-factor: declared surfaces only`);
  });

  it("does not take a longer name for a path below", () => {
    check(`  - { file: harness/main.reward.yaml, path: components2.x, from: 1, to: 2 }
                                            ^^^^^^^^^^^^^ one-factor`);
  });

  it("says nothing without a valid project", () => {
    check(`  - { file: nowhere, path: a, from: 1, to: 2 }`, "reward", {});
    check(`  - { file: nowhere, path: a, from: 1, to: 2 }`, "reward", { "evotrainer.yaml": "name: 3" });
  });
});
