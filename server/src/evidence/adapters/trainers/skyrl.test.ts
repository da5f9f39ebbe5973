import assert from "node:assert/strict";
import { allRollouts, importPaths } from "../../../../../test/support/evidence/import.ts";
import type { Store } from "../../archive/store.ts";
import { makeWorkspace, type Workspace } from "../../../../../test/support/evidence/evidence.ts";
import { skyrl } from "./skyrl.ts";
import { writeLines } from "../../../../../test/support/adapters/dumps.ts";
import { fuzzAdapter, jsonSample } from "../../../../../test/support/adapters/fuzzAdapter.ts";

const chatMl =
  "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\n2+2?<|im_end|>\n<|im_start|>assistant\n";
const asked = [
  { role: "system", text: "Be brief." },
  { role: "user", text: "2+2?" },
];

describe("SkyRL", () => {
  let workspace: Workspace;
  let store: Store;
  beforeEach(async () => {
    workspace = await makeWorkspace();
    store = await workspace.open();
  });
  afterEach(() => workspace.remove());
  const sample = (changes: object = {}): Record<string, unknown> => ({
    input_prompt: chatMl,
    output_response:
      'Let me see.<tool_call>\n{"name": "calc", "arguments": {"a": 2}}\n</tool_call><|im_end|>\n<|im_start|>user\n<tool_response>\n4\n</tool_response><|im_end|>\n<|im_start|>assistant\nIt is 4.<|im_end|>',
    score: [0, 0, 0.75],
    stop_reason: "stop",
    env_class: "gsm8k",
    env_extras: { reward_spec: { ground_truth: "4" } },
    data_source: "openai/gsm8k",
    ...changes,
  });

  it("reads a dump with its step, adds up scores per token and cuts rendered texts into turns", async () => {
    await writeLines(
      workspace,
      "my-run/dumped_evals/global_step_40_evals/openai_gsm8k.jsonl",
      sample(),
      sample({ score: 0.5, stop_reason: "length" }),
    );
    await writeLines(workspace, "my-run/dumped_evals/global_step_80_evals/openai_gsm8k.jsonl", sample());
    await writeLines(workspace, "my-run/dumped_evals/global_step_40_evals/aggregated_results.jsonl", {
      "eval/all/avg_score": 0.6,
    });
    const { skipped } = await importPaths(store, [workspace.file("my-run")]);
    const [perToken, plain, later] = await allRollouts(store);
    assert.ok(perToken !== undefined && plain !== undefined);
    assert.deepEqual([later?.run, later?.step, later?.id], ["my-run", 80, "80-openai_gsm8k-1"]);
    assert.equal(skipped.unrecognisedCount, 0);
    assert.deepEqual(perToken.turns, [
      ...asked,
      {
        role: "assistant",
        text: 'Let me see.<tool_call>\n{"name": "calc", "arguments": {"a": 2}}\n</tool_call>',
        tool: "calc",
        args: { a: 2 },
      },
      { role: "tool", text: "4" },
      { role: "assistant", text: "It is 4." },
    ]);
    assert.deepEqual(
      [perToken, plain].map((r) => [
        r.run,
        r.step,
        r.split,
        r.sample,
        r.reward,
        r.tokens,
        r.stop_reason,
        r.outcome,
      ]),
      [
        ["my-run", 40, "selection", 0, 0.75, 3, "stop", "unknown"],
        ["my-run", 40, "selection", 1, 0.5, null, "length", "unknown"],
      ],
    );
    assert.deepEqual(perToken.extra["env_extras"], { reward_spec: { ground_truth: "4" } });
  });

  it("quarantines scores of the wrong type, and does not add up NaN", async () => {
    const file = await writeLines(
      workspace,
      "d.jsonl",
      sample(),
      sample({ score: "1" }),
      sample({ score: [1, "x"] }),
      sample({ score: [1, null] }),
      sample({ output_response: null }),
    );
    const { counts } = await importPaths(store, [file]);
    assert.deepEqual(
      counts.problems.map((p) => p.line),
      [2, 3, 5],
    );
    assert.equal((await allRollouts(store))[1]?.reward, null);
  });

  it("gives rollouts or refusals for any input", () => fuzzAdapter(skyrl, [jsonSample("d.jsonl", sample())]));
});
