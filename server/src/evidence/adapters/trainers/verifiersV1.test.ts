import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { allRollouts, importPaths, tally } from "../../../../../test/support/evidence/import.ts";
import type { Store } from "../../archive/store.ts";
import { makeWorkspace, type Workspace } from "../../../../../test/support/evidence/evidence.ts";
import { fuzzAdapter, jsonSample } from "../../../../../test/support/adapters/fuzzAdapter.ts";
import { verifiersV1 } from "./verifiersV1.ts";

const node = (parent: number | null, message: object, changes: object = {}): object => ({
  parent,
  message,
  sampled: false,
  timestamp: 1,
  token_ids: [],
  mask: [],
  logprobs: [],
  ...changes,
});
const says = (content: string, changes: object = {}): object => ({ role: "assistant", content, ...changes });

const trace = (changes: object = {}): Record<string, unknown> => ({
  version: 1,
  id: "trace-1",
  verifiers: { version: "1", commit: "abc" },
  task: { type: "T", data: { prompt: "2+2?", answer: "4" }, key: "sum-1", hash: "h" },
  agent: { config: { model: "configured" }, name: "agent", trainable: true },
  nodes: [
    node(null, { role: "system", content: "Be brief." }),
    node(0, { role: "user", content: "2+2?" }),
    node(1, says("", { tool_calls: [{ id: "c", name: "calc", arguments: '{"a":2}' }] }), {
      sampled: true,
      mask: [false, true, true],
      logprobs: [-1, -2],
    }),
    node(2, { role: "tool", tool_call_id: "c", content: "4", name: "calc" }),
    node(3, says("It is 4."), { sampled: true, mask: [true], logprobs: [-3] }),
  ],
  calls: [
    {
      node: 2,
      model: "m-1",
      usage: { prompt_tokens: 9, completion_tokens: 5 },
      time: { start: 10, end: 10.5 },
      finish_reason: "tool_calls",
    },
    {
      node: 4,
      model: "m-1",
      usage: { prompt_tokens: 12, completion_tokens: 2 },
      time: { start: 11, end: 11.25 },
      finish_reason: "stop",
    },
  ],
  rewards: { correct: { score: 1, weight: 0.5 }, format: { score: 0.5, weight: 1 } },
  metrics: { turns: 2, judge: null },
  info: {},
  is_completed: true,
  ok: true,
  stop_condition: "agent_completed",
  errors: [],
  timing: {
    start: 1_760_000_000,
    agent: { start: 1_760_000_001, end: 1_760_000_003 },
    scoring: { start: 1_760_000_003, end: 1_760_000_004 },
  },
  ...changes,
});

const episode = (changes: object = {}): Record<string, unknown> => ({
  id: "episode-1",
  env: { id: "sums", name: "sums-train" },
  task: { type: "T", data: { prompt: "2+2?", answer: "4" }, key: "sum-1" },
  group: { id: "g-7" },
  run: { type: "train", id: "run-1", work: { type: "train", step: 12, policy: { start: 11, end: 12 } } },
  ok: true,
  errors: [],
  traces: [trace()],
  ...changes,
});

describe("verifiers v1", () => {
  let workspace: Workspace;
  let store: Store;
  beforeEach(async () => {
    workspace = await makeWorkspace();
    store = await workspace.open();
  });
  afterEach(() => workspace.remove());

  async function traces(path: string, ...episodes: object[]): Promise<string> {
    const file = workspace.file(`${path}/traces.jsonl`);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, episodes.map((e) => `${JSON.stringify(e)}\n`).join(""));
    return file;
  }

  it("reads a trace as a rollout with the measurements of its calls", async () => {
    await importPaths(store, [await traces("eval-1", episode())]);
    const [rollout] = await allRollouts(store);
    assert.ok(rollout !== undefined);
    const { turns, extra, ...rest } = rollout;
    assert.deepEqual(turns, [
      { role: "system", text: "Be brief." },
      { role: "user", text: "2+2?" },
      { role: "assistant", text: "", tool: "calc", args: { a: 2 }, tokens: 5, ms: 500 },
      { role: "tool", text: "4" },
      { role: "assistant", text: "It is 4.", tokens: 2, ms: 250 },
    ]);
    assert.deepEqual(rest, {
      id: "trace-1",
      run: "eval-1",
      split: "train",
      step: 12,
      item: "sum-1",
      group: "g-7",
      sample: 0,
      outcome: "unknown",
      unknown_reason: "verifiers v1 writes weighted rewards, not a verdict",
      reward: 1,
      components: { turns: 2, correct: 1, format: 0.5 },
      stop_reason: "agent_completed",
      tokens: 7,
      logprob_mean: -2,
      policy: "m-1",
      harness: "abc",
      seed: null,
      started_at: "2025-10-09T08:53:20.000Z",
      duration_ms: 4000,
    });
    assert.deepEqual(extra, {
      episode: "episode-1",
      env: "sums-train",
      run: { type: "train", id: "run-1", work: { type: "train", step: 12, policy: { start: 11, end: 12 } } },
      task: { answer: "4" },
      agent: "agent",
      token_logprobs: [-1, -2, -3],
      trainable: true,
      finish_reason: "stop",
      weights: { correct: 0.5 },
      seconds: { agent: 2, scoring: 1 },
    });
  });

  it("shows the final branch of a tree and keeps what the others say", async () => {
    const nodes = [
      node(null, { role: "user", content: "Task" }),
      node(0, says("first try"), { sampled: true, mask: [true, true] }),
      node(1, says("deeper"), { sampled: true, mask: [true] }),
      node(1, says("beside it"), { sampled: true, mask: [true] }),
      node(0, says("second try"), { sampled: true, mask: [true, true, true] }),
    ];
    await importPaths(store, [await traces("e", episode({ traces: [trace({ nodes, calls: [] })] }))]);
    const [rollout] = await allRollouts(store);
    assert.deepEqual(
      rollout?.turns.map((t) => [t.text, t.tokens]),
      [
        ["Task", undefined],
        ["second try", 3],
      ],
    );
    assert.deepEqual([rollout.tokens, rollout.policy], [7, "configured"]);
    assert.deepEqual(rollout.extra["branches"], [
      {
        shared: 1,
        length: 2,
        turns: [
          { role: "assistant", text: "first try", tokens: 2 },
          { role: "assistant", text: "deeper", tokens: 1 },
        ],
      },
      { shared: 1, length: 1, turns: [{ role: "assistant", text: "beside it", tokens: 1 }] },
    ]);
  });

  it("leaves out the text of branches that are too large, and says how long it is", async () => {
    const nodes = [node(null, says("x".repeat(300_000))), node(null, says("short"))];
    await importPaths(store, [await traces("e", episode({ traces: [trace({ nodes })] }))]);
    assert.deepEqual((await allRollouts(store))[0]?.extra["branches"], [{ shared: 0, length: 1 }]);
  });

  it("keeps the first of many branches and says how many there are", async () => {
    const nodes = Array.from({ length: 100 }, (_, i) => node(null, says(String(i))));
    await importPaths(store, [await traces("e", episode({ traces: [trace({ nodes })] }))]);
    const extra: Record<string, unknown> = (await allRollouts(store))[0]?.extra ?? {};
    assert.deepEqual(
      [Array.isArray(extra["branches"]) && extra["branches"].length, extra["branches_left_out"]],
      [64, 35],
    );
  });

  const undecided: readonly (readonly [string, object, RegExp])[] = [
    [
      "a trace that failed",
      {
        traces: [
          trace({
            ok: false,
            errors: [
              { type: "Old", message: "x" },
              { type: "SandboxError", message: "gone", traceback: "…" },
            ],
          }),
        ],
      },
      /SandboxError: gone/,
    ],
    [
      "an episode that failed",
      { ok: false, errors: [{ type: "EnvError", message: "no" }] },
      /the episode failed: EnvError: no/,
    ],
    [
      "a reward that was not scored",
      { traces: [trace({ rewards: { a: { score: 1 }, b: null } })] },
      /reward b was not scored/,
    ],
    [
      "an episode without traces",
      { ok: false, errors: [{ type: "BootError", message: "no box" }], traces: [] },
      /no trace: BootError: no box/,
    ],
  ];
  for (const [what, change, reason] of undecided)
    it(`leaves ${what} undecided`, async () => {
      const { counts } = await importPaths(store, [await traces("e", episode(change))], {
        passWhen: "true",
      });
      const [rollout] = await allRollouts(store);
      assert.deepEqual([counts.rollouts, rollout?.outcome, rollout?.item], [1, "unknown", "sum-1"]);
      assert.match(rollout?.unknown_reason ?? "", reason);
    });

  it("ignores the error of an attempt that was repeated when the trace itself succeeded", async () => {
    const well = trace({ errors: [{ type: "RateLimit", message: "429" }] });
    await importPaths(store, [await traces("e", episode({ traces: [well] }))], { passWhen: "true" });
    assert.equal((await allRollouts(store))[0]?.outcome, "pass");
  });

  it("keeps agents separate, and takes the run, the split and the effective episodes from the folders", async () => {
    const judge = trace({ id: "t-2", agent: { name: "judge", trainable: false }, rewards: {} });
    const bare = without(episode({ traces: [trace(), judge] }), "run");
    await traces("out/rollouts/step_3/train/all", bare);
    await traces("out/rollouts/step_3/train/effective", bare);
    await traces("out/rollouts/step_4/eval/all", { ...bare, traces: [trace({ id: "t-3" })] });
    await importPaths(store, [workspace.file("out")]);
    assert.deepEqual(await tally(store, "run"), { out: 3, "out.effective": 2 });
    assert.deepEqual(
      (await allRollouts(store)).map((r) => [r.run, r.id, r.step, r.split, r.group, r.reward]),
      [
        ["out", "trace-1", 3, "train", "g-7", 1],
        ["out", "t-2", 3, "train", "g-7/judge", null],
        ["out.effective", "trace-1", 3, "train", "g-7", 1],
        ["out.effective", "t-2", 3, "train", "g-7/judge", null],
        ["out", "t-3", 4, "selection", "g-7", 1],
      ],
    );
  });

  it("reads a line that is a single trace", async () => {
    await importPaths(store, [await traces("old", trace())]);
    assert.equal((await allRollouts(store))[0]?.item, "sum-1");
  });

  it("quarantines a tree whose parents are not earlier messages", async () => {
    const circle = [node(1, says("a")), node(0, says("b"))];
    const { counts } = await importPaths(store, [
      await traces(
        "e",
        episode({ traces: [trace({ nodes: circle })] }),
        episode({ traces: [3] }),
        episode({ traces: 3 }),
      ),
    ]);
    assert.deepEqual(
      counts.problems.map((p) => p.reason),
      ["the parent of node 0 is not a node before it", "trace 0 must be an object", "traces must be a list"],
    );
  });

  it("gives rollouts or refusals for any input", () =>
    fuzzAdapter(verifiersV1, [jsonSample("traces.jsonl", episode()), jsonSample("traces.jsonl", trace())]));
});

function without(value: Record<string, unknown>, key: string): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== key));
}
