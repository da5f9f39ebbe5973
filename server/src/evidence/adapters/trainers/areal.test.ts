import assert from "node:assert/strict";
import type { Rollout } from "../../../../../shared/model/rollout.ts";
import { allRollouts, importPaths } from "../../../../../test/support/evidence/import.ts";
import type { Store } from "../../archive/store.ts";
import { makeWorkspace, type Workspace } from "../../../../../test/support/evidence/evidence.ts";
import { areal } from "./areal.ts";
import { writeLines } from "../../../../../test/support/adapters/dumps.ts";
import { fuzzAdapter, jsonSample } from "../../../../../test/support/adapters/fuzzAdapter.ts";

const chatMl =
  "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\n2+2?<|im_end|>\n<|im_start|>assistant\n";
const asked = [
  { role: "system", text: "Be brief." },
  { role: "user", text: "2+2?" },
];

describe("AReaL", () => {
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
  const record = (changes: object = {}): Record<string, unknown> => ({
    task_id: 17,
    sample_idx: 1,
    seqlen: 30,
    prompt_len: 20,
    head_version: 4,
    tail_version: 6,
    reward: 1,
    prompt: chatMl,
    completion: "4<|im_end|>",
    ...changes,
  });

  it("reads tasks of all versions as one run, with staleness", async () => {
    await writeLines(workspace, "exp/trial0/rollout/6/17.jsonl", record({ sample_idx: 0 }), record());
    await writeLines(workspace, "exp/trial0/eval-rollout/6/17.jsonl", record());
    const all = await imported(workspace.file("exp"));
    assert.deepEqual(all.map((r) => [r.run, r.split, r.step, r.group, r.sample, r.tokens]).sort(), [
      ["exp-trial0", "selection", 6, "eval-17", 1, 10],
      ["exp-trial0", "train", 6, "17", 0, 10],
      ["exp-trial0", "train", 6, "17", 1, 10],
    ]);
    assert.deepEqual(all[0]?.turns, [...asked, { role: "assistant", text: "4" }]);
    assert.deepEqual(all[0].extra, { head_version: 4, tail_version: 6, staleness: 2 });
  });

  it("quarantines fields of the wrong type, and ignores impossible token counts", async () => {
    const file = await writeLines(
      workspace,
      "1.jsonl",
      record({ seqlen: 3 }),
      record({ prompt: null }),
      record({ reward: "1" }),
    );
    const { counts } = await importPaths(store, [file]);
    assert.deepEqual(
      counts.problems.map((p) => p.line),
      [2, 3],
    );
    assert.equal((await allRollouts(store))[0]?.tokens, null);
  });

  it("gives rollouts or refusals for any input", () => fuzzAdapter(areal, [jsonSample("1.jsonl", record())]));
});
