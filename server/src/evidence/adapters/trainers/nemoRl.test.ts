import assert from "node:assert/strict";
import type { Rollout } from "../../../../../shared/model/rollout.ts";
import { allRollouts, importPaths } from "../../../../../test/support/evidence/import.ts";
import type { Store } from "../../archive/store.ts";
import { makeWorkspace, type Workspace } from "../../../../../test/support/evidence/evidence.ts";
import { nemoRl } from "./nemoRl.ts";
import { writeLines } from "../../../../../test/support/adapters/dumps.ts";
import { fuzzAdapter, jsonSample } from "../../../../../test/support/adapters/fuzzAdapter.ts";

const chatMl =
  "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\n2+2?<|im_end|>\n<|im_start|>assistant\n";
const asked = [
  { role: "system", text: "Be brief." },
  { role: "user", text: "2+2?" },
];

describe("NeMo-RL", () => {
  let workspace: Workspace;
  let store: Store;
  beforeEach(async () => {
    workspace = await makeWorkspace();
    store = await workspace.open();
  });
  afterEach(() => workspace.remove());

  async function imported(...paths: string[]): Promise<Rollout[]> {
    await importPaths(store, paths);
    return allRollouts(store);
  }
  const train = (changes: object = {}): Record<string, unknown> => ({
    content: [[chatMl, "It is 4.<|im_end|>", "Environment: correct"]],
    rewards: [1],
    filtered_rewards: [0.5],
    input_lengths: [7],
    token_ids: [[1, 2, 3, 4, 5, 6, 7]],
    token_loss_mask: [[0, 0, 0, 1, 1, 0, 0]],
    sample_loss_mask: [1],
    advantages: [[0, 0, 0, 0.25, 0.25, 0, 0]],
    generation_logprobs: [[0, 0, 0, -1, -2, 0, 0]],
    prev_logprobs: [[0, 0, 0, -1.5, -2, 0, 0]],
    idx: 0,
    ...changes,
  });

  it("reads training samples without token lists, and gives unnamed messages their roles", async () => {
    const [rollout] = await imported(await writeLines(workspace, "exp_001/train_data_step12.jsonl", train()));
    assert.ok(rollout !== undefined);
    assert.deepEqual(rollout.turns, [
      ...asked,
      { role: "assistant", text: "It is 4.", tokens: 2 },
      { role: "tool", text: "Environment: correct" },
    ]);
    assert.deepEqual(
      [
        rollout.run,
        rollout.split,
        rollout.step,
        rollout.reward,
        rollout.tokens,
        rollout.logprob_mean,
        rollout.outcome,
      ],
      ["exp_001", "train", 12, 1, 2, -1.5, "unknown"],
    );
    assert.deepEqual(rollout.components, { filtered_reward: 0.5 });
    assert.deepEqual(rollout.extra, {
      ...{ advantage: 0.25, input_length: 7, sample_loss_mask: 1 },
      ...{ token_logprobs: [-1, -2], trainer_sampler_difference: [-0.5, 0] },
    });
  });

  it("reads validation samples with roles into the same run, and plain texts as turns", async () => {
    await writeLines(
      workspace,
      "exp/train_data_step1.jsonl",
      train({ content: [["2+2?", "4", "no", "four"]] }),
    );
    await writeLines(workspace, "exp/val_data_step1.jsonl", {
      content: [
        [
          { role: "user", content: "2+2?" },
          { role: "assistant", content: "4" },
          { role: "environment", content: "ok" },
        ],
      ],
      rewards: [0],
      idx: 0,
    });
    const all = await imported(workspace.file("exp"));
    assert.deepEqual(
      all.map((r) => [r.run, r.split, r.turns.map((t) => t.role).join()]),
      [
        ["exp", "train", "user,assistant,tool,assistant"],
        ["exp", "selection", "user,assistant,tool"],
      ],
    );
    assert.equal(all[0]?.item, all[1]?.item);
  });

  it("quarantines lines that are not samples, and leaves a reward of NaN undecided", async () => {
    const file = await writeLines(
      workspace,
      "train_data_step1.jsonl",
      train(),
      train({ content: 3 }),
      train({ rewards: ["1"] }),
      train({ rewards: [null] }),
    );
    const { counts } = await importPaths(store, [file], { passWhen: "true" });
    assert.deepEqual([counts.rollouts, counts.problems.map((p) => p.line)], [2, [2, 3]]);
    assert.match((await allRollouts(store))[1]?.unknown_reason ?? "", /null or NaN/);
  });

  it("gives rollouts or refusals for any input", () =>
    fuzzAdapter(nemoRl, [jsonSample("train_data_step1.jsonl", train())]));
});
