import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { allRollouts, fixtureSet, importPaths } from "../../../../../test/support/evidence/import.ts";
import type { Store } from "../../archive/store.ts";
import { makeWorkspace, type Workspace } from "../../../../../test/support/evidence/evidence.ts";
import { nemoGym } from "./nemoGym.ts";
import { assertCoverage, rolloutsOf } from "../../../../../test/support/adapters/adapter.ts";
import { fuzzAdapter, jsonSample } from "../../../../../test/support/adapters/fuzzAdapter.ts";

const said = (text: string, changes: object = {}): object => ({
  type: "message",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text, annotations: [] }],
  ...changes,
});
const called = (name: string, args: object): object => ({
  type: "function_call",
  call_id: "c",
  name,
  arguments: JSON.stringify(args),
  status: "completed",
});

const row = (changes: object = {}, response: object = {}): Record<string, unknown> => ({
  responses_create_params: {
    input: [{ type: "message", role: "user", content: "Which line?" }],
    instructions: "Use tools.",
    model: "asked-for",
    temperature: 0.7,
    tools: [{ name: "grep" }],
  },
  response: {
    id: "resp-1",
    model: "m-1",
    error: null,
    incomplete_details: null,
    output: [
      { type: "reasoning", summary: [{ type: "summary_text", text: "Look first." }] },
      said("Let me look."),
      called("grep", { q: "x" }),
      called("grep", { q: "y" }),
      { type: "function_call_output", call_id: "c", output: "12:x" },
      { type: "function_call_output", call_id: "c", output: "" },
      said("Line 12."),
    ],
    usage: { input_tokens: 5, output_tokens: 9, total_tokens: 14 },
    ...response,
  },
  reward: 0.5,
  similarity: 0.25,
  exact: false,
  verification_time: 3.5,
  _ng_task_index: 4,
  _ng_rollout_index: 2,
  ...changes,
});

describe("NeMo Gym", () => {
  let workspace: Workspace;
  let store: Store;
  beforeEach(async () => {
    workspace = await makeWorkspace();
    store = await workspace.open();
  });
  afterEach(() => workspace.remove());

  async function rollouts(path: string, ...rows: object[]): Promise<string> {
    const file = workspace.file(path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, rows.map((r) => `${JSON.stringify(r)}\n`).join(""));
    return file;
  }

  it("reads the items of a response as turns: thoughts and words belong to the next call", async () => {
    await importPaths(store, [await rollouts("grep_env/data/example_rollouts.jsonl", row())]);
    const [rollout] = await allRollouts(store);
    assert.ok(rollout !== undefined);
    assert.deepEqual(rollout.turns, [
      { role: "system", text: "Use tools." },
      { role: "user", text: "Which line?" },
      {
        role: "assistant",
        text: "<think>\nLook first.\n</think>\n\nLet me look.",
        tool: "grep",
        args: { q: "x" },
      },
      { role: "assistant", text: "", tool: "grep", args: { q: "y" } },
      { role: "tool", text: "12:x" },
      { role: "tool", text: "" },
      { role: "assistant", text: "Line 12." },
    ]);
    assert.deepEqual(
      [
        rollout.run,
        rollout.group,
        rollout.sample,
        rollout.policy,
        rollout.tokens,
        rollout.reward,
        rollout.outcome,
      ],
      ["grep_env-example_rollouts", "4", 2, "m-1", 9, 0.5, "unknown"],
    );
    assert.deepEqual(rollout.components, { similarity: 0.25, exact: 0 });
    assert.deepEqual(rollout.extra, { verification_time: 3.5, temperature: 0.7, response_id: "resp-1" });
  });

  it("says why a rollout ended as far as its record does: null may stand where nobody looked", async () => {
    const path = await rollouts(
      "r.jsonl",
      row({}, { status: "completed" }),
      row({ truncated: true }, { status: "completed" }),
      row({}, { status: "incomplete", incomplete_details: { reason: "max_output_tokens" } }),
      row(),
    );
    assert.deepEqual(
      (await rolloutsOf(nemoGym, path)).map((r) => r.stop_reason),
      ["completed", "truncated", "max_output_tokens", null],
    );
  });

  it("counts tokens and log-probabilities if training kept them, and ignores a usage of zeros", async () => {
    const tokens = { generation_token_ids: [1, 2, 3], generation_log_probs: [-1, -2, -3] };
    const usage = { input_tokens: 0, output_tokens: 0, total_tokens: 0 };
    await importPaths(store, [
      await rollouts(
        "r.jsonl",
        row(
          {},
          {
            output: [said("a", tokens), said("b", { generation_token_ids: [4], generation_log_probs: [-4] })],
            usage,
          },
        ),
        row({ _ng_rollout_index: 3 }, { usage }),
      ),
    ]);
    const [counted, uncounted] = await allRollouts(store);
    assert.deepEqual(
      [counted?.tokens, counted?.logprob_mean, counted?.turns.slice(2).map((t) => [t.text, t.tokens])],
      [
        4,
        -2.5,
        [
          ["a", 3],
          ["b", 1],
        ],
      ],
    );
    assert.equal(uncounted?.tokens, null);
  });

  const verdicts: readonly (readonly [string, object, object, string, RegExp?])[] = [
    ["resolved", { resolved: true }, {}, "pass"],
    ["a judge that said no", { judge_passed: false, failure_reason: "judge_evaluation_failed" }, {}, "fail"],
    [
      "a report of SWE-bench",
      { instance_id: "i", metadata: { eval_report: { i: { resolved: true } } } },
      {},
      "pass",
    ],
    ["a simulation of tau2 with half a reward", { result: { reward_info: { reward: 0.5 } } }, {}, "fail"],
    ["a reward alone", {}, {}, "unknown", /not a verdict/],
    [
      "an evaluation that broke",
      { resolved: false, evaluation_completed: false },
      {},
      "unknown",
      /not completed/,
    ],
    [
      "an evaluation that was too slow",
      { resolved: false, eval_timed_out: true },
      {},
      "unknown",
      /eval_timed_out/,
    ],
    ["a lost sandbox", { resolved: false, error_kind: "sandbox" }, {}, "unknown", /sandbox/],
    [
      "a judge that cannot be read",
      { judge_passed: false, failure_reason: "judge_parsing_failed" },
      {},
      "unknown",
      /judge_parsing_failed/,
    ],
    [
      "a masked sample",
      { correct: true, instance_config: { mask_sample: true } },
      {},
      "unknown",
      /mask_sample/,
    ],
    ["an attempt that failed", { _ng_failure_class: "agent_crash" }, {}, "unknown", /agent_crash/],
    [
      "a response that is an error",
      { correct: false },
      { error: { code: "500", message: "overloaded" } },
      "unknown",
      /overloaded/,
    ],
    ["a reward of null", { correct: true, reward: null }, {}, "unknown", /null or NaN/],
  ];
  for (const [what, change, response, outcome, reason] of verdicts)
    it(`reads ${what} as ${outcome}`, async () => {
      await importPaths(store, [await rollouts("r.jsonl", row(change, response))]);
      const [rollout] = await allRollouts(store);
      assert.equal(rollout?.outcome, outcome);
      assert.match(rollout.unknown_reason ?? "", reason ?? /^$/);
    });

  it("separates tasks with the same words, and recognises a task whose cards are dealt again", async () => {
    const dealt = (cards: string): object => ({
      responses_create_params: {
        input: [
          { role: "user", content: "Play." },
          { role: "user", content: cards },
        ],
      },
    });
    await importPaths(store, [
      await rollouts(
        "r.jsonl",
        row({ ...dealt("7 8") }),
        row({ ...dealt("9 9"), _ng_rollout_index: 3 }),
        row({ ...dealt("7 8"), _ng_task_index: 5 }),
      ),
    ]);
    const [first, anew, other] = await allRollouts(store);
    assert.equal(first?.item, anew?.item);
    assert.notEqual(first?.item, other?.item);
  });

  it("keeps failed attempts with their run, and recognises files that contain no rollouts", async () => {
    await rollouts("rollouts.jsonl", row());
    await rollouts("rollouts_failures.jsonl", {
      responses_create_params: { input: "hi" },
      _ng_failure_class: "timeout",
    });
    await rollouts("rollouts_materialized_inputs.jsonl", {
      responses_create_params: { input: [] },
      _ng_task_index: 0,
    });
    await rollouts("rollouts_reward_profiling.jsonl", {
      "mean/reward": 1,
      sample: { responses_create_params: {} },
    });
    await rollouts("rollouts_aggregate_metrics.json", [{ agent_ref: { name: "a" }, key_metrics: {} }]);
    const { counts, skipped } = await importPaths(store, [workspace.file("")]);
    assert.deepEqual([counts.rollouts, counts.quarantined, skipped.unrecognisedCount], [2, 0, 0]);
    assert.deepEqual((await allRollouts(store)).map((r) => [r.run, r.outcome, r.turns.length]).sort(), [
      ["rollouts", "unknown", 1],
      ["rollouts", "unknown", 7],
    ]);
  });

  it("leaves out data that is too large to keep with the conversation, and says how large it is", async () => {
    const patch = "x".repeat(20_000);
    await importPaths(store, [await rollouts("r.jsonl", row({ model_patch: patch, log_dir: null }))]);
    const { extra } = (await allRollouts(store))[0] ?? {};
    assert.deepEqual(
      [extra?.["model_patch"], extra !== undefined && "log_dir" in extra],
      [{ left_out_chars: 20_002 }, false],
    );
  });

  it("quarantines rows with fields of the wrong type", async () => {
    const { counts } = await importPaths(store, [
      await rollouts(
        "r.jsonl",
        row(),
        row({ reward: "1" }),
        row({ responses_create_params: [] }),
        row({}, { output: {} }),
      ),
    ]);
    assert.deepEqual(
      counts.problems.map((p) => [p.line, p.reason]),
      [
        [2, "reward must be a number"],
        [3, "responses_create_params must be an object"],
        [4, "response.output must be a list"],
      ],
    );
  });

  it("gives rollouts or refusals for any input", () =>
    fuzzAdapter(nemoGym, [
      jsonSample("r.jsonl", row()),
      jsonSample(
        "r.jsonl",
        row({
          result: {
            start_time: "2026-01-01T00:00:00",
            duration: 3,
            reward_info: { reward: 1, reward_breakdown: { DB: 1 } },
          },
          task: { id: "1" },
          config: { domain: "d" },
        }),
      ),
    ]));

  it("reads the real rollouts of 26 files", async function () {
    const path = fixtureSet(this, "rl_nemo_gym_rollouts");
    const { counts, skipped } = await importPaths(store, [path]);
    // The description of the set, three aggregates, one profile and one list of inputs are no rollouts; only the first belongs to none.
    assert.deepEqual(
      [counts.read, counts.rollouts, counts.quarantined, skipped.unrecognisedCount],
      [26, 130, 0, 1],
    );
    const all = await rolloutsOf(nemoGym, path);
    // Token ids are empty lists in all of these.
    assertCoverage(nemoGym, all, ["logprob_mean", "turns.tokens"]);
    const outcomes: Record<string, number> = {};
    for (const { outcome } of all) outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    assert.deepEqual(outcomes, { pass: 32, fail: 32, unknown: 66 });
    assert.deepEqual(
      all
        .filter((r) => r.outcome === "unknown" && !/not a verdict/.test(r.unknown_reason ?? ""))
        .map((r) => [r.item, r.unknown_reason]),
      [["jqlang__jq-2681", "the evaluation was not completed"]],
    );
    assert.ok(
      all.filter((r) => r.run.includes("tau2")).every((r) => r.turns.length > 9 && r.outcome === "pass"),
    );
  });
});
