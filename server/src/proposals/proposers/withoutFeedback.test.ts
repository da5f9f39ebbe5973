import assert from "node:assert/strict";
import type { EvidenceTools } from "./evidenceTools.ts";
import { withoutFeedback } from "./withoutFeedback.ts";

describe("tools of a proposer without feedback", () => {
  const asked: string[] = [];
  const named = (name: string) => ({ name, description: name, input: {} });
  const all: EvidenceTools = {
    tools: ["evotrainer_lineage", "evotrainer_compare", "evotrainer_rollouts", "evotrainer_rollout"].map(
      named,
    ),
    call: (name, input) => {
      asked.push(`${name} ${JSON.stringify(input)}`);
      return Promise.resolve({ text: "answer", isError: false });
    },
  };
  const left = withoutFeedback(all, "v1");
  const { signal } = new AbortController();

  it("do not offer anything that shows how other changes ended", () => {
    assert.deepEqual(
      left.tools.map(({ name }) => name),
      ["evotrainer_rollouts", "evotrainer_rollout"],
    );
  });

  it("answer about the version that is asked about, and about no other", async () => {
    for (const [name, input] of [
      ["evotrainer_lineage", {}],
      ["evotrainer_rollouts", { version: "v2" }],
      ["evotrainer_rollout", { rollout: "v12.selection.s1/a" }],
    ] as const)
      assert.match((await left.call(name, input, signal)).text, /you see the evidence of v1 alone/);
    assert.deepEqual(asked, []);
    for (const [name, input] of [
      ["evotrainer_rollouts", { version: "v1", outcome: "fail" }],
      ["evotrainer_rollout", { rollout: "v1.selection.s1/a" }],
    ] as const)
      assert.equal((await left.call(name, input, signal)).text, "answer");
    assert.equal(asked.length, 2);
  });
});
