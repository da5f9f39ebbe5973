import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { allRollouts, fixtureSet, importPaths } from "../../../../../test/support/evidence/import.ts";
import type { Store } from "../../archive/store.ts";
import { makeWorkspace, type Workspace } from "../../../../../test/support/evidence/evidence.ts";
import { assertCoverage, rolloutsOf } from "../../../../../test/support/adapters/adapter.ts";
import { fuzzAdapter, jsonSample } from "../../../../../test/support/adapters/fuzzAdapter.ts";
import { verifiers } from "./verifiers.ts";

const call = (name: string, args: object): string =>
  JSON.stringify({ id: "c1", function: { arguments: JSON.stringify(args), name }, type: "function" });

const of2025 = (changes: object = {}): Record<string, unknown> => ({
  id: 0,
  prompt: [
    { role: "system", content: "Use tools." },
    { role: "user", content: "2+2?" },
  ],
  completion: [
    { role: "assistant", content: "", tool_calls: [call("python", { code: "2+2" })] },
    { role: "tool", content: "4", tool_calls: null },
    { role: "assistant", content: "It is 4.", tool_calls: null },
  ],
  task: "default",
  generation_ms: 100,
  scoring_ms: 20,
  total_ms: 120,
  info: { oai_tools: [{ function: { name: "python" } }], level: 3 },
  answer: "4",
  reward: 1.5,
  correct_answer: 1,
  total_tool_calls: 1,
  ...changes,
});

const current = (changes: object = {}): Record<string, unknown> => ({
  example_id: 7,
  prompt: [{ role: "user", content: "2+2?" }],
  completion: [
    {
      role: "assistant",
      content: null,
      reasoning_content: "Easy.",
      tool_calls: [{ id: "a", name: "f", arguments: "{}" }],
    },
  ],
  answer: "4",
  reward: 0.75,
  error: null,
  timing: {
    start_time: 1_760_000_000.5,
    generation: { start: 1, end: 3, duration: 2 },
    scoring: { start: 3, end: 4, duration: 1 },
    total: 3,
    overhead: 0,
  },
  is_completed: true,
  is_truncated: false,
  stop_condition: "max_turns_reached",
  metrics: { correct: 1, num_turns: 1 },
  tool_defs: [{ name: "f" }],
  trajectory: [{ tokens: { prompt_ids: [1, 2] } }],
  token_usage: { input_tokens: 30, output_tokens: 12 },
  correct: 1,
  num_turns: 1,
  temperature_seen: 0.5,
  ...changes,
});

describe("verifiers", () => {
  let workspace: Workspace;
  let store: Store;
  beforeEach(async () => {
    workspace = await makeWorkspace();
    store = await workspace.open();
  });
  afterEach(() => workspace.remove());

  async function evaluation(
    folder: string,
    metadata: object | undefined,
    ...rows: object[]
  ): Promise<string> {
    const path = workspace.file(`${folder}/results.jsonl`);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
    if (metadata !== undefined) await writeFile(`${dirname(path)}/metadata.json`, JSON.stringify(metadata));
    return dirname(path);
  }

  it("knows an environment whose API only answered with errors: no failure of the policy", async () => {
    const reply = (content: string): object => ({ role: "user", content });
    const reset = { role: "assistant", content: '{"action": "RESET"}' };
    const error = reply(
      "API error while performing RESET: SERVER_ERROR. Please choose a different action or RESET.",
    );
    const refused = reply("Action ACTION1 not allowed. Valid options: RESET.");
    const of = (...completion: object[]): Record<string, unknown> => of2025({ completion, reward: 0 });
    const rows = [
      of(reset, error, reset, refused, reset),
      of(reset, error, reset, reply("The board is: ..")),
    ];
    const [dead, played] = await rolloutsOf(verifiers, await evaluation("e--m/0a1b2c3d", undefined, ...rows));
    assert.match(dead?.unknown_reason ?? "", /^the infrastructure failed: .* \(1 of 2 replies\)/);
    assert.match(played?.unknown_reason ?? "", /pass_threshold/);
  });

  it("reads a file of 2025: calls as JSON text, metrics beside the fields, the model from its metadata", async () => {
    const folder = await evaluation(
      "outputs/evals/gsm8k--org--m-1/0a1b2c3d",
      { env: "gsm8k", model: "org/m-1", num_examples: 1 },
      of2025(),
      of2025({ completion: [{ role: "assistant", content: "5" }] }),
      of2025({ id: 1, prompt: "Once upon", completion: " a time" }),
    );
    const { counts, skipped } = await importPaths(store, [folder]);
    assert.deepEqual([counts.rollouts, counts.quarantined, skipped.unrecognisedCount], [3, 0, 0]);
    const [first, second, text] = await allRollouts(store);
    assert.ok(first !== undefined && second !== undefined && text !== undefined);
    assert.deepEqual(
      [first.run, first.policy, first.split, first.group, first.sample, first.reward, first.duration_ms],
      ["gsm8k--org--m-1.0a1b2c3d", "org/m-1", "selection", `0/${first.item}`, 0, 1.5, 120],
    );
    assert.deepEqual(first.turns, [
      { role: "system", text: "Use tools." },
      { role: "user", text: "2+2?" },
      { role: "assistant", text: "", tool: "python", args: { code: "2+2" } },
      { role: "tool", text: "4" },
      { role: "assistant", text: "It is 4." },
    ]);
    assert.deepEqual(first.components, { correct_answer: 1, total_tool_calls: 1 });
    assert.deepEqual(first.extra, {
      id: 0,
      task: "default",
      answer: "4",
      info: { level: 3 },
      generation_ms: 100,
      scoring_ms: 20,
    });
    assert.deepEqual(
      [first.tokens, first.outcome, second.item === first.item, second.sample],
      [null, "unknown", true, 1],
    );
    assert.match(first.unknown_reason ?? "", /no pass_threshold/);
    assert.deepEqual(text.turns, [
      { role: "user", text: "Once upon" },
      { role: "assistant", text: " a time" },
    ]);
  });

  it("reads the current format: pass_threshold decides the verdict, and the rest of the state is kept", async () => {
    const folder = await evaluation(
      "evals/e--m/0a1b2c3d",
      { model: "m", pass_threshold: 0.75, state_columns: ["temperature_seen"] },
      current(),
      current({ reward: 0.7 }),
    );
    await importPaths(store, [folder]);
    const [above, below] = await allRollouts(store);
    assert.ok(above !== undefined && below !== undefined);
    assert.deepEqual([above.outcome, below.outcome], ["pass", "fail"]);
    assert.deepEqual(
      [above.tokens, above.stop_reason, above.started_at, above.duration_ms],
      [12, "max_turns_reached", "2025-10-09T08:53:20.500Z", 3000],
    );
    assert.deepEqual(above.components, { correct: 1, num_turns: 1 });
    assert.deepEqual(above.extra, {
      example_id: 7,
      answer: "4",
      is_completed: true,
      is_truncated: false,
      temperature_seen: 0.5,
      seconds: { generation: 2, scoring: 1 },
      token_usage: { input_tokens: 30, output_tokens: 12 },
    });
    assert.deepEqual(above.turns[1], {
      role: "assistant",
      text: "<think>\nEasy.\n</think>",
      tool: "f",
      args: {},
    });
  });

  it("recognises a task by request and answer, not by its place in one run's data", async () => {
    const [a, b] = [of2025(), of2025({ id: 3, prompt: [{ role: "user", content: "2+2?" }] })];
    await importPaths(store, [
      await evaluation("x/e--m/00000001", undefined, a, of2025({ answer: "5" })),
      await evaluation("x/e--m/00000002", undefined, b),
    ]);
    const [first, otherAnswer, later] = await allRollouts(store);
    assert.equal(first?.item, later?.item);
    assert.notEqual(first?.item, otherAnswer?.item);
    // Two problems of one `id` are no group.
    assert.notEqual(first?.group, otherAnswer?.group);
    assert.equal(later?.policy, "m");
  });

  const undecided: readonly (readonly [string, object, RegExp])[] = [
    ["an error", { error: { error: "InfraError", message: "sandbox died" } }, /InfraError: sandbox died/],
    ["an error in an older file", { error: "timeout" }, /failed: timeout/],
    ["a reward of null", { reward: null }, /null or NaN/],
    ["no completion", { completion: [] }, /no text of the completion was kept/],
    ["a completion of null", { completion: null }, /no text of the completion was kept/],
    ["a rollout that was cut off", { is_completed: false }, /not completed/],
  ];
  for (const [what, change, reason] of undecided)
    it(`leaves ${what} undecided whatever the threshold`, async () => {
      await importPaths(store, [await evaluation("e--m/0a1b2c3d", { pass_threshold: 0 }, current(change))]);
      const [rollout] = await allRollouts(store);
      assert.equal(rollout?.outcome, "unknown");
      assert.match(rollout.unknown_reason ?? "", reason);
    });

  it("has no transcript where no completion was kept though some earned a reward, and an empty one where none did", async () => {
    const of = (folder: string, ...rewards: number[]) =>
      evaluation(`e--m/${folder}`, undefined, ...rewards.map((reward) => of2025({ completion: [], reward })));
    const bare = await rolloutsOf(verifiers, await of("0a1b2c3d", 1, 0));
    assert.deepEqual(
      bare.map(({ turns, extra }) => [turns, extra["prompt"]]),
      [
        [[], "Use tools.\n\n2+2?"],
        [[], "Use tools.\n\n2+2?"],
      ],
    );
    const empty = await rolloutsOf(verifiers, await of("0a1b2c3e", 0, 0));
    assert.deepEqual(
      empty.map(({ turns }) => turns.map(({ role }) => role)),
      [
        ["system", "user"],
        ["system", "user"],
      ],
    );
  });

  it("does not read a missing time of generation as 0", async () => {
    await importPaths(store, [
      await evaluation("e--m/0a1b2c3d", undefined, of2025({ generation_ms: 0, total_ms: 20 })),
    ]);
    assert.equal((await allRollouts(store))[0]?.duration_ms, null);
  });

  it("quarantines a reward that is not a number and a prompt that is not a conversation", async () => {
    const folder = await evaluation(
      "e--m/0a1b2c3d",
      undefined,
      of2025(),
      of2025({ reward: "1" }),
      of2025({ prompt: 3 }),
    );
    const { counts } = await importPaths(store, [folder]);
    assert.deepEqual(
      counts.problems.map((p) => [p.line, p.reason]),
      [
        [2, "reward must be a number"],
        [3, "prompt must be a list of messages or a text"],
      ],
    );
  });

  it("gives rollouts or refusals for any input", () =>
    fuzzAdapter(verifiers, [jsonSample("results.jsonl", of2025()), jsonSample("results.jsonl", current())]));

  it("reads the real evaluations", async function () {
    const path = fixtureSet(this, "rl_verifiers_vf_eval");
    const { counts, skipped } = await importPaths(store, [path]);
    // 48 metadata.json belong to their results; the description of the set to none.
    assert.deepEqual(
      [counts.read, counts.rollouts, counts.quarantined, skipped.unrecognisedCount],
      [48, 1372, 0, 1],
    );
    const all = await rolloutsOf(verifiers, path);
    assertCoverage(verifiers, all, ["stop_reason", "tokens", "started_at"]);
    assert.equal(new Set(all.map((r) => r.run)).size, 48);
    assert.ok(all.every((r) => r.policy !== null && r.outcome === "unknown" && r.reward !== null));

    const empty = all.filter((r) => !r.turns.some((t) => t.role === "assistant" || t.role === "tool"));
    const perRun: Record<string, number> = {};
    for (const { run } of empty) perRun[run] = (perRun[run] ?? 0) + 1;
    assert.deepEqual(perRun, {
      "gsm8k--gpt-4.1-mini.0036a836": 150,
      "mmmu--gpt-4.1-mini.51f717af": 15,
      "tool-test--gpt-4.1-mini.5cde0948": 15,
    });
    assert.ok(empty.every((r) => /no text of the completion was kept/.test(r.unknown_reason ?? "")));

    const graded = all.filter((r) => r.run === "math-python--gpt-4.1-mini.6b596d7f");
    const right = graded.filter(
      (r) =>
        [...(r.turns.at(-1)?.text.matchAll(/\\boxed\{([^{}]*)\}/g) ?? [])].at(-1)?.[1] === r.extra["answer"],
    );
    assert.deepEqual([graded.length, right.length, right.every((r) => r.reward === 0)], [15, 15, true]);
    // Secret words of a game differ under one prompt.
    const games = all.filter((r) => r.run === "wordle--gpt-5-mini.019a631c");
    assert.deepEqual(
      [new Set(games.map((r) => r.group)).size, new Set(games.map((r) => r.item)).size],
      [5, 5],
    );
  });
});
