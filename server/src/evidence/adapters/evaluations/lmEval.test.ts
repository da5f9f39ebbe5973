import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { writeLines } from "../../../../../test/support/adapters/dumps.ts";
import { fuzzAdapter, jsonSample } from "../../../../../test/support/adapters/fuzzAdapter.ts";
import { makeWorkspace, type Workspace } from "../../../../../test/support/evidence/evidence.ts";
import { allRollouts, importPaths } from "../../../../../test/support/evidence/import.ts";
import type { Store } from "../../archive/store.ts";
import { foreignFile } from "../../importing/foreignFile.ts";
import { detectFormats } from "../registry.ts";
import { lmEval } from "./lmEval.ts";

const date = "2025-03-04T10-11-12.345678";

describe("lm-evaluation-harness", () => {
  let workspace: Workspace;
  let store: Store;
  beforeEach(async () => {
    workspace = await makeWorkspace();
    store = await workspace.open();
  });
  afterEach(() => workspace.remove());

  const sample = (changes: object = {}): Record<string, unknown> => ({
    doc_id: 0,
    doc: { question: "2+2?", answer: "#### 4" },
    target: "4",
    arguments: {
      gen_args_0: { arg_0: "Question: 2+2?\nAnswer:", arg_1: { until: ["Question:"], do_sample: false } },
    },
    resps: [[" 2+2 is 4.\n#### 4"]],
    filtered_resps: ["4"],
    filter: "strict-match",
    metrics: ["exact_match"],
    doc_hash: "d",
    prompt_hash: "p",
    target_hash: "t",
    exact_match: 1.0,
    ...changes,
  });
  const file = `google__gemma-2b/samples_gsm8k_${date}.jsonl`;

  it("reads what the model wrote, the model's name, and what a metric of 0 or 1 decides", async () => {
    await mkdir(workspace.file("google__gemma-2b"), { recursive: true });
    await writeFile(
      workspace.file(`google__gemma-2b/results_${date}.json`),
      JSON.stringify({ results: { gsm8k: {} }, model_name: "google/gemma-2b" }),
    );
    await writeLines(workspace, file, sample(), sample({ doc_id: 1, resps: [["no idea"]], exact_match: 0 }));
    const { skipped } = await importPaths(store, [workspace.file("google__gemma-2b")]);
    assert.equal(skipped.unrecognisedCount, 0);
    const [right, wrong] = await allRollouts(store);
    assert.deepEqual(right?.turns, [
      { role: "user", text: "Question: 2+2?\nAnswer:" },
      { role: "assistant", text: "2+2 is 4.\n#### 4" },
    ]);
    assert.deepEqual(
      [right, wrong].map((r) => [r?.run, r?.item, r?.split, r?.policy, r?.outcome, r?.reward, r?.components]),
      [
        [
          `google__gemma-2b-${date}`,
          "gsm8k/strict-match/0",
          "selection",
          "google/gemma-2b",
          "pass",
          1,
          { exact_match: 1 },
        ],
        [
          `google__gemma-2b-${date}`,
          "gsm8k/strict-match/1",
          "selection",
          "google/gemma-2b",
          "fail",
          0,
          { exact_match: 0 },
        ],
      ],
    );
    assert.deepEqual(right.extra["target"], "4");
  });

  it("keeps the filters of one response apart, since each grades it by another rule", async () => {
    await writeLines(
      workspace,
      file,
      sample({ exact_match: 0 }),
      sample({ filter: "flexible-extract" }),
      sample({ doc_id: 1, filter: "none" }),
    );
    await importPaths(store, [workspace.file(file)]);
    assert.deepEqual(
      (await allRollouts(store)).map((r) => [r.item, r.outcome]),
      [
        ["gsm8k/strict-match/0", "fail"],
        ["gsm8k/flexible-extract/0", "pass"],
        ["gsm8k/1", "pass"],
      ],
    );
  });

  it("gives no verdict where metrics grade several responses, or none says right or wrong", async () => {
    await writeLines(
      workspace,
      file,
      sample({ resps: [["a", "b"]], filtered_resps: ["a"] }),
      sample({ doc_id: 1, metrics: ["bleu"], bleu: 0.25 }),
      sample({ doc_id: 2, exact_match: null }),
      sample({ doc_id: 3, exact_match: 0.5 }),
    );
    await importPaths(store, [workspace.file(file)]);
    assert.deepEqual(
      (await allRollouts(store)).map((r) => [r.item, r.sample, r.outcome, r.reward]),
      [
        ["gsm8k/strict-match/0", 0, "unknown", null],
        ["gsm8k/strict-match/0", 1, "unknown", null],
        ["gsm8k/strict-match/1", 0, "unknown", 0.25],
        ["gsm8k/strict-match/2", 0, "unknown", null],
        ["gsm8k/strict-match/3", 0, "unknown", 0.5],
      ],
    );
  });

  it("reads the messages for a chat API, and files from before metrics were named", async () => {
    const messages = JSON.stringify([
      { role: "system", content: "Be brief." },
      { role: "user", content: "2+2?" },
    ]);
    const { metrics, filter, ...older } = sample({ arguments: [[[messages], { until: [] }]] });
    assert.deepEqual([metrics, filter], [["exact_match"], "strict-match"]);
    await writeLines(workspace, file, older);
    await importPaths(store, [workspace.file(file)]);
    const [rollout] = await allRollouts(store);
    assert.deepEqual(
      rollout?.turns.map(({ role, text }) => [role, text]),
      [
        ["system", "Be brief."],
        ["user", "2+2?"],
        ["assistant", "2+2 is 4.\n#### 4"],
      ],
    );
    assert.deepEqual([rollout.outcome, rollout.item], ["pass", "gsm8k/0"]);
  });

  it("leaves tasks alone in which the model wrote nothing", async () => {
    const choices = await writeLines(
      workspace,
      `samples_arc_easy_${date}.jsonl`,
      sample({
        arguments: { gen_args_0: { arg_0: "Q", arg_1: " A" }, gen_args_1: { arg_0: "Q", arg_1: " B" } },
        resps: [[["-3.0", "False"]], [["-1.0", "True"]]],
        filtered_resps: [
          ["-3.0", "False"],
          ["-1.0", "True"],
        ],
        filter: "none",
        acc: 1,
      }),
    );
    const rolling = await writeLines(
      workspace,
      `samples_wikitext_${date}.jsonl`,
      sample({ arguments: { gen_args_0: { arg_0: "text" } }, resps: [["-12.5"]] }),
    );
    for (const path of [choices, rolling]) assert.deepEqual(await detectFormats(await foreignFile(path)), []);
    const claimed = await writeLines(workspace, file, sample());
    assert.deepEqual(
      (await detectFormats(await foreignFile(claimed))).map(({ name }) => name),
      ["lm-eval"],
    );
  });

  it("gives rollouts or refusals for whatever it is handed", () =>
    fuzzAdapter(lmEval, [jsonSample(`samples_gsm8k_${date}.jsonl`, sample())]));
});
