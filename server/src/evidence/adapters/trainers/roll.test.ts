import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { skipBecause } from "../../../../../test/support/base/skip.ts";
import { allRollouts, importPaths } from "../../../../../test/support/evidence/import.ts";
import { hasProgram, runProgram } from "../../../../../test/support/reading/readers.ts";
import type { Store } from "../../archive/store.ts";
import { makeWorkspace, type Workspace } from "../../../../../test/support/evidence/evidence.ts";
import { roll } from "./roll.ts";
import { assertCoverage } from "../../../../../test/support/adapters/adapter.ts";
import { fuzzAdapter, jsonSample } from "../../../../../test/support/adapters/fuzzAdapter.ts";
import { pickleOf } from "../../../../../test/support/adapters/pickle.ts";

const call = { function: { name: "bash", arguments: { command: "ls" } } };
const rollout = (changes: object = {}): Record<string, unknown> => ({
  final_reward: 0.75,
  detailed_reward_info: {
    correctness_reward: 0.5,
    binary_correctness: 0,
    trajectory_reward: 0.25,
    note: "x",
  },
  judge_info: "",
  meta_data: { source: "swe", id: 7, meta: { source_instance_id: "repo__1" } },
  history: [
    {
      messages: [{ role: "user", content: "raw" }],
      parsed_messages: [
        { role: "system", content: "S" },
        { role: "user", content: "Fix it." },
        { role: "assistant", content: "I look.", tool_calls: [call] },
      ],
      prompt_ids: [1, 2],
      response_ids: [3, 4, 5],
      infer_logprobs: [-1.5, -2.5, -3.5],
      reward: 1,
      penalty: 0.5,
      info: {},
      metrics: { mcp_tool_call_success: 1 },
    },
    {
      messages: [],
      parsed_messages: [
        { role: "tool", content: "a.py" },
        { role: "assistant", content: "Done." },
      ],
      prompt_ids: [6],
      response_ids: [7],
      infer_logprobs: [-0.5],
    },
  ],
  ...changes,
});
const named = (group: number, env: number): string =>
  `qwen_mcp_swe_${group}_${env}_20260101_120000_00000${env}.pkl`;

describe("ROLL and EvoTrainer", () => {
  let workspace: Workspace;
  let store: Store;
  beforeEach(async () => {
    workspace = await makeWorkspace();
    store = await workspace.open();
  });
  afterEach(() => workspace.remove());

  async function write(path: string, bytes: Uint8Array | string): Promise<string> {
    const file = workspace.file(path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, bytes);
    return file;
  }

  it("reads each pickle as a rollout, with run, step, tag and group from its path", async () => {
    await write(`exp-1/rollouts/swe/val/40/${named(3, 1)}`, pickleOf(rollout()));
    await write(
      `exp-1/rollouts/swe/val/40/${named(3, 2)}`,
      pickleOf(rollout({ detailed_reward_info: { binary_correctness: 1 } })),
    );
    await write(`exp-1/rollouts/swe/train/40/${named(3, 3)}`, pickleOf(rollout()));
    await write(`exp-1/mcps/swe/val/40/${named(3, 1)}`, pickleOf({ start_step: 1, mcp_logs: [] }));
    const { counts, skipped } = await importPaths(store, [workspace.file("exp-1")]);
    assert.deepEqual([counts.rollouts, counts.quarantined, skipped.unrecognisedCount], [3, 0, 1]);
    const all = await allRollouts(store);
    assert.deepEqual(all.map((r) => [r.run, r.split, r.step, r.group, r.sample, r.item, r.outcome]).sort(), [
      ["exp-1", "selection", 40, "val-40/qwen_mcp_swe_3", 0, "repo__1", "fail"],
      ["exp-1", "selection", 40, "val-40/qwen_mcp_swe_3", 1, "repo__1", "pass"],
      ["exp-1", "train", 40, "40/qwen_mcp_swe_3", 0, "repo__1", "fail"],
    ]);
    const first = all.find((r) => r.split === "train");
    assert.deepEqual(first?.turns, [
      { role: "system", text: "S" },
      { role: "user", text: "Fix it." },
      { role: "assistant", text: "I look.", tool: "bash", args: { command: "ls" }, tokens: 3, ok: true },
      { role: "tool", text: "a.py" },
      { role: "assistant", text: "Done.", tokens: 1 },
    ]);
    assert.deepEqual([first.reward, first.tokens, first.logprob_mean], [0.75, 4, -2]);
    assert.deepEqual(first.components, {
      correctness_reward: 0.5,
      binary_correctness: 0,
      trajectory_reward: 0.25,
    });
    assert.deepEqual(first.extra["turn_penalties"], [0.5, 0]);
    assert.deepEqual(first.extra["token_logprobs"], [-1.5, -2.5, -3.5, -0.5]);
    assertCoverage(roll, all);
  });

  it("keeps the log-probabilities of thousands of tokens", async () => {
    const infer_logprobs = Array.from({ length: 6000 }, (_, i) => -0.1234 - (i % 7));
    const response_ids = infer_logprobs.map((_, i) => i);
    await write(
      `exp-1/rollouts/swe/train/40/${named(3, 3)}`,
      pickleOf(rollout({ history: [{ messages: [], response_ids, infer_logprobs }] })),
    );
    await importPaths(store, [workspace.file("exp-1")]);
    const [found] = await allRollouts(store);
    assert.deepEqual(
      found?.extra["token_logprobs"],
      infer_logprobs.map((x) => Number(x.toPrecision(4))),
    );
  });

  const crashes: readonly (readonly [string, object, RegExp])[] = [
    ["a reward of -999", { final_reward: -999 }, /-999/],
    ["a crash that was recorded as 0", { final_reward: 0, detailed_reward_info: "" }, /record is empty/],
    ["an empty reward record", { final_reward: 0, detailed_reward_info: {} }, /record is empty/],
    ["a reward of NaN", { final_reward: NaN }, /NaN/],
  ];
  for (const [what, change, reason] of crashes)
    it(`leaves ${what} undecided and without a reward`, async () => {
      await importPaths(store, [await write(named(0, 1), pickleOf(rollout(change)))], {
        passWhen: "false",
      });
      const [found] = await allRollouts(store);
      assert.deepEqual([found?.outcome, found?.reward], ["unknown", null]);
      assert.match(found?.unknown_reason ?? "", reason);
    });

  it("reads lists of rollouts, records as JSON text, and the list of an evaluation", async () => {
    await write(
      "rollouts/algo/val_step_30.pkl",
      pickleOf([rollout({ detailed_reward_info: '{"correctness_reward": 1}' }), 3]),
    );
    const { history, ...rest } = rollout();
    assert.ok(history !== undefined);
    await write(
      "eval/eval_step_20_20260101-120000/detailed_eval_info.json",
      JSON.stringify(
        [
          {
            ...rest,
            env_id: 5,
            tag: "swe",
            messages: [
              { role: "user", content: "Fix it." },
              { role: "assistant", content: "No." },
            ],
          },
        ],
        null,
        2,
      ),
    );
    const { counts } = await importPaths(store, [workspace.file("")]);
    assert.deepEqual([counts.rollouts, counts.problems.map((p) => p.line)], [2, [2]]);
    const all = await allRollouts(store);
    assert.deepEqual(
      all.map((r) => [r.step, r.outcome, r.components["correctness_reward"], r.turns.at(-1)?.text]).sort(),
      [
        [20, "fail", 0.5, "No."],
        [30, "unknown", 1, "Done."],
      ],
    );
  });

  it("runs nothing in a pickle, and reads NumPy numbers as numbers", async function () {
    if (!hasProgram("python3", "-c", "import numpy"))
      skipBecause(this, "there is no python3 with numpy here");
    const program = [
      "import pickle, sys, os, numpy as np",
      "class Evil:",
      "  def __reduce__(self): return (os.system, ('touch evil-was-here',))",
      "r = {'final_reward': np.float64(0.5), 'detailed_reward_info': {'binary_correctness': np.float32(1), 'n': np.int64(2)},",
      "  'judge_info': '', 'meta_data': {'id': 2**70, 'x': Evil()}, 'history': [{'parsed_messages': [{'role': 'assistant', 'content': 'a'}], 'response_ids': [1]}]}",
      "sys.stdout.buffer.write(pickle.dumps(r))",
    ].join("\n");
    await importPaths(store, [await write(named(1, 1), runProgram("python3", ["-c", program]))]);
    const [found] = await allRollouts(store);
    assert.deepEqual(
      [found?.outcome, found?.reward, found?.components],
      ["pass", 0.5, { binary_correctness: 1, n: 2 }],
    );
    assert.deepEqual(found?.extra["meta_data"], { id: String(2n ** 70n), x: { object: "posix.system" } });
  });

  it("gives rollouts or refusals for any bytes", () =>
    fuzzAdapter(roll, [
      { name: named(1, 1), bytes: pickleOf(rollout()) },
      { name: "val_step_3.pkl", bytes: pickleOf([rollout(), rollout()]) },
      jsonSample("detailed_eval_info.json", [{ ...rollout(), messages: [] }]),
    ]));
});
