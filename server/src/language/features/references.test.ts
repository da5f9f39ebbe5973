import assert from "node:assert/strict";
import { openProject, withCursor } from "../../../../test/support/language/openProject.ts";
import { highlightsOf, referencesOf } from "./references.ts";

const loops = "harness/diagnostics/loops.diagnostic.yaml";
const worse = "harness/diagnostics/worse.diagnostic.yaml";
const fewer = "harness/interventions/fewer-loops.intervention.yaml";

describe("references", () => {
  const uses = [
    `${worse}:6 loops`,
    `${worse}:6 loops`,
    `${fewer}:5 loops`,
    `${fewer}:9 loops`,
    `${fewer}:11 loops`,
  ];
  const cases: readonly (readonly [string, string, string, readonly string[]])[] = [
    ["of a label, from its definition", loops, "name: lo§ops", uses],
    ["of a label, from a use", fewer, "targets: [lo§ops]", uses],
    ["of a metric", fewer, "metric: k§l", [`${worse}:6 kl`, `${fewer}:4 kl`]],
    [
      "of a component",
      "harness/main.reward.yaml",
      "corr§ectness:",
      [`${loops}:6 correctness`, `${fewer}:4 correctness`, `${fewer}:8 correctness`],
    ],
    ["of a factor", fewer, "factor: rew§ard", [`${fewer}:6 reward`]],
  ];
  for (const [name, file, part, expected] of cases)
    it(name, () => {
      const { context, offset, shown } = openProject(withCursor(file, part));
      const found = referencesOf(context, offset, { definitions: false });
      assert.deepEqual(found.map(shown), expected);
    });

  it("include the definition on request, and come only from the open file where that is asked", () => {
    const { context, offset, shown } = openProject(withCursor(fewer, "targets: [lo§ops]"));
    assert.deepEqual(referencesOf(context, offset, { definitions: true }).map(shown), [
      `${loops}:3 loops`,
      ...uses,
    ]);
    assert.deepEqual(highlightsOf(context, offset).map(shown), uses.slice(2));
  });

  it("are empty where there is no name", () => {
    const { context, offset } = openProject(withCursor(fewer, "atLeast: 0.§02"));
    assert.deepEqual(referencesOf(context, offset, { definitions: true }), []);
  });
});
