import assert from "node:assert/strict";
import { openProject, withCursor } from "../../../../test/support/language/openProject.ts";
import { definitionOf } from "./definition.ts";

const loops = "harness/diagnostics/loops.diagnostic.yaml";
const worse = "harness/diagnostics/worse.diagnostic.yaml";
const fewer = "harness/interventions/fewer-loops.intervention.yaml";

describe("go to definition", () => {
  const cases: readonly (readonly [string, string, string, readonly string[]])[] = [
    ["a target", fewer, "targets: [lo§ops]", [`${loops}:3 loops`]],
    ["a label at its definition", loops, "name: lo§ops", [`${loops}:3 loops`]],
    ["a label in an expression", worse, 'parent_rate("lo§ops")', [`${loops}:3 loops`]],
    ["a guardrail on a label", fewer, "metric: lo§ops", [`${loops}:3 loops`]],
    ["a parameter", loops, "params.str§eak", [`${loops}:4 streak`]],
    [
      "a component in an expression",
      loops,
      "components.corr§ectness",
      ["harness/main.reward.yaml:5 correctness"],
    ],
    ["a factor", fewer, "factor: rew§ard", ["evotrainer.yaml:11 reward"]],
    ["an edited path", fewer, "path: components.correctness.sh§ape", ["harness/main.reward.yaml:5 shape"]],
    ["the value before an edit", fewer, "from: fl§at", ["harness/main.reward.yaml:5 flat"]],
    ["a metric of the trainer, which has no definition", worse, 'last("k§l")', []],
    ["text that is not a name", fewer, "because: spr§ead", []],
  ];
  for (const [name, file, part, expected] of cases)
    it(name, () => {
      const { context, offset, shown } = openProject(withCursor(file, part));
      assert.deepEqual(definitionOf(context, offset).map(shown), expected);
    });

  it("leads to the library for a label that comes with EvoTrainer", () => {
    const { context, offset } = openProject(withCursor(fewer, "risks: [trun§cation]"));
    const [target] = definitionOf(context, offset);
    assert.match(target?.file ?? "", /library[\\/]diagnostics[\\/]truncation\.diagnostic\.yaml$/);
  });
});
