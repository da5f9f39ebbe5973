import { checkMarked } from "../../../../test/support/language/markedText.ts";
import { interventionWith, sampleProject } from "../../../../test/support/language/sampleProject.ts";
import { rewardNoOp } from "./reward-no-op.ts";

const check = (edits: string, reward = sampleProject["harness/main.reward.yaml"] ?? "") =>
  void checkMarked({
    kind: "intervention",
    text: interventionWith(edits),
    rules: [rewardNoOp],
    files: { ...sampleProject, "harness/main.reward.yaml": reward },
  });
const two = `apiVersion: evotrainer/v1
kind: Reward
name: main
components:
  correctness: { shape: flat, weight: 1 }
  tested: { weight: 0.1 }
  brief: { weight: 0 }
`;

describe("rule reward-no-op", () => {
  it("accepts another shape, other weights, and a term that is switched on", () => {
    check(
      "  - { file: harness/main.reward.yaml, path: components.correctness.shape, from: flat, to: binary }",
    );
    check("  - { file: harness/main.reward.yaml, path: components.tested.weight, from: 0.1, to: 0.2 }", two);
    check("  - { file: harness/main.reward.yaml, path: components.brief.weight, from: 0, to: -0.1 }", two);
    check("  - { file: harness/main.reward.yaml, path: components.correctness.weight, from: 1, to: -1 }");
  });

  it("marks a reward that is only scaled", () => {
    check(`  - { file: harness/main.reward.yaml, path: components.correctness.weight, from: 1, to: 2 }
                                                                                        ^ reward-no-op: multiplied by 2, which group normalisation cancels. This is a no-op.`);
    check(
      `  - { file: harness/main.reward.yaml, path: components.correctness.weight, from: 1, to: 3 }
                                                                                        ^ reward-no-op: multiplied by 3
  - { file: harness/main.reward.yaml, path: components.tested.weight, from: 0.1, to: 0.3 }`,
      two,
    );
  });

  it("marks a term that is switched off", () =>
    check(
      `  - { file: harness/main.reward.yaml, path: components.brief.shape, from: linear, to: flat }
                                                                                      ^^^^ reward-no-op: Only terms with weight 0 change`,
      two.replace("brief: { weight: 0 }", "brief: { shape: linear, weight: 0 }"),
    ));

  it("says nothing if the filter changes as well", () =>
    check(`  - { file: harness/main.reward.yaml, path: components.correctness.weight, from: 1, to: 2 }
  - { file: harness/main.reward.yaml, path: filter.kind, from: none, to: std }`));

  it("compares the reward in the editor with the parent's", () =>
    void checkMarked({
      kind: "reward",
      path: "harness/main.reward.yaml",
      text: `apiVersion: evotrainer/v1
kind: Reward
name: main
components:
^^^^^^^^^^ reward-no-op: It trains the same policy as v4.
  correctness: { shape: flat, weight: 10 }
  tested: { weight: 1 }
  brief: { weight: 0 }
`,
      rules: [rewardNoOp],
      files: sampleProject,
      parent: { "harness/main.reward.yaml": two },
    }));
});
