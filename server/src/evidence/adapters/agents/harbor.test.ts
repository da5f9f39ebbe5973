import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { fuzzRuns } from "../../../../../test/support/base/fuzz.ts";
import { allRollouts, importPaths } from "../../../../../test/support/evidence/import.ts";
import type { Store } from "../../archive/store.ts";
import { makeWorkspace, type Workspace } from "../../../../../test/support/evidence/evidence.ts";
import { harbor } from "./harbor.ts";
import { fuzzAdapter, jsonSample } from "../../../../../test/support/adapters/fuzzAdapter.ts";

const trial = (changes: object = {}): object => ({
  id: "1",
  task_name: "org/sums",
  trial_name: "sums__a",
  trial_uri: "file:///sums__a",
  task_id: { path: "sums" },
  task_checksum: "abc",
  config: { agent: { kwargs: { seed: 3 } }, verifier: { disable: false } },
  agent_info: { name: "terminus-2", version: "2", model_info: { name: "m1", provider: "lab" } },
  agent_result: { n_input_tokens: 9, n_output_tokens: 12, cost_usd: 0.5 },
  verifier_result: { rewards: { reward: 1 } },
  exception_info: null,
  started_at: "2026-01-02T03:04:00Z",
  finished_at: "2026-01-02T03:05:00Z",
  agent_execution: { started_at: "2026-01-02T03:04:05Z", finished_at: "2026-01-02T03:04:15Z" },
  ...changes,
});
const exception = (type: string): object => ({
  exception_type: type,
  exception_message: "why",
  exception_traceback: "…",
  occurred_at: "2026-01-02T03:04:10Z",
});
const trajectory = (message: string): object => ({
  schema_version: "ATIF-v1.7",
  agent: { name: "terminus-2", version: "2" },
  steps: [{ step_id: 1, source: "agent", message, metrics: { completion_tokens: 5 } }],
});

describe("harbor", () => {
  let workspace: Workspace;
  let store: Store;
  beforeEach(async () => {
    workspace = await makeWorkspace();
    store = await workspace.open();
  });
  afterEach(() => workspace.remove());

  async function write(files: Readonly<Record<string, unknown>>): Promise<void> {
    for (const [name, value] of Object.entries(files)) {
      await mkdir(dirname(workspace.file(name)), { recursive: true });
      await writeFile(workspace.file(name), JSON.stringify(value));
    }
  }

  it("reads a trial together with the trajectory beside it, and the job as the run", async () => {
    await write({
      "job/result.json": { id: "j", n_total_trials: 1, stats: { evals: {} } },
      "job/sums__a/result.json": trial(),
      "job/sums__a/agent/trajectory.json": trajectory("Done."),
      "job/sums__b/result.json": trial({
        trial_name: "sums__b",
        verifier_result: { rewards: { reward: 0 } },
      }),
    });
    const { counts, skipped } = await importPaths(store, [workspace.file("job")]);
    assert.deepEqual([counts.rollouts, skipped.unrecognisedCount], [2, 0]);
    const [a, b] = await allRollouts(store);
    assert.ok(a !== undefined && b !== undefined);
    const { extra, ...rest } = a;
    assert.deepEqual(rest, {
      id: "sums__a",
      run: "job",
      split: "selection",
      step: 0,
      item: "org/sums",
      group: "0/org/sums",
      sample: 0,
      outcome: "pass",
      reward: 1,
      components: { reward: 1 },
      stop_reason: null,
      turns: [{ role: "assistant", text: "Done.", tokens: 5 }],
      tokens: 12,
      policy: "lab/m1",
      harness: null,
      seed: 3,
      started_at: "2026-01-02T03:04:05Z",
      duration_ms: 10_000,
    });
    assert.equal(extra["task_checksum"], "abc");
    assert.deepEqual([b.outcome, b.sample, b.group, b.turns], ["fail", 1, a.group, []]);
  });

  const verdicts: readonly [what: string, changes: object, outcome: string, reason?: RegExp][] = [
    ["a reward of 1", {}, "pass"],
    ["one reward under another name", { verifier_result: { rewards: { solved: 0 } } }, "fail"],
    [
      "partial reward",
      { verifier_result: { rewards: { reward: 0.5 } } },
      "unknown",
      /single reward of 0 or 1/,
    ],
    ["several rewards", { verifier_result: { rewards: { a: 1, b: 1 } } }, "unknown", /has \{"a":1,"b":1\}/],
    ["no rewards", { verifier_result: null }, "unknown", /verifier left no rewards/],
    [
      "no verifier",
      { verifier_result: null, config: { verifier: { disable: true } } },
      "unknown",
      /was disabled/,
    ],
    [
      "a lost sandbox",
      { verifier_result: null, exception_info: exception("DaytonaError") },
      "unknown",
      /ended in DaytonaError: why/,
    ],
    [
      "a verifier that timed out",
      { exception_info: exception("VerifierTimeoutError") },
      "unknown",
      /ended in VerifierTimeoutError/,
    ],
    [
      "an agent that timed out before it was verified",
      { exception_info: exception("AgentTimeoutError") },
      "pass",
    ],
    [
      "an agent that timed out without verification",
      { verifier_result: null, exception_info: exception("AgentTimeoutError") },
      "unknown",
      /ended in AgentTimeoutError/,
    ],
    [
      "an exception in a step",
      { step_results: [{ step_name: "one", exception_info: exception("RuntimeError") }] },
      "unknown",
      /ended in RuntimeError/,
    ],
  ];
  for (const [what, changes, outcome, reason] of verdicts)
    it(`reads ${what} as ${outcome}`, async () => {
      await write({ "job/sums__a/result.json": trial(changes) });
      await importPaths(store, [workspace.file("job")]);
      const [rollout] = await allRollouts(store);
      assert.equal(rollout?.outcome, outcome);
      if (reason !== undefined) assert.match(rollout.unknown_reason ?? "", reason);
      const info = Reflect.get(changes, "exception_info") as { exception_type?: string } | undefined;
      if (info !== undefined) assert.equal(rollout.stop_reason, info.exception_type);
    });

  it("reads the steps of a trial in order, and follows no step out of the trial", async () => {
    const step = (name: string, tokens: number): object => ({
      step_name: name,
      agent_result: { n_output_tokens: tokens },
      verifier_result: { rewards: { reward: 1 } },
    });
    await write({
      "job/t/result.json": trial({
        agent_result: null,
        step_results: [step("one", 2), step("two", 3), step("../..", 4)],
      }),
      "job/t/steps/one/agent/trajectory.json": trajectory("First."),
      "job/t/steps/two/agent/trajectory.json": trajectory("Second."),
      "job/agent/trajectory.json": trajectory("Elsewhere."),
    });
    await importPaths(store, [workspace.file("job/t")]);
    const rollouts = await allRollouts(store);
    assert.deepEqual(
      rollouts.map((r) => [r.turns.map((t) => t.text), r.tokens]),
      [[["First.", "Second."], 9]],
    );
  });

  const conversation = (termination_reason: string): object => ({
    domain: "retail",
    task_id: "1",
    termination_reason,
    step_count: 2,
    agent_model: "m1",
    messages: [
      { role: "assistant", content: "Hi!", usage: null },
      { role: "user", content: "Help.", usage: { completion_tokens: 100 } },
      { role: "assistant", content: "Done.", usage: { completion_tokens: 7 } },
    ],
  });
  it("reads tau3 conversations as the trajectory, without the tokens of the simulated user", async () => {
    await write({
      "job/a/result.json": trial({ agent_result: { n_output_tokens: 107 } }),
      "job/a/agent/tau3_runtime_state.json": conversation("user_stop"),
      "job/b/result.json": trial({ trial_name: "b", verifier_result: { rewards: { reward: 0 } } }),
      "job/b/agent/tau3_runtime_state.json": conversation("user_error"),
    });
    const { counts } = await importPaths(store, [workspace.file("job")]);
    assert.equal(counts.rollouts, 2);
    assert.deepEqual(
      (await allRollouts(store)).map((r) => [
        r.outcome,
        r.unknown_reason,
        r.stop_reason,
        r.tokens,
        r.turns.length,
      ]),
      [
        ["pass", undefined, "user_stop", 7, 3],
        ["unknown", "the simulated user failed (user_error)", "user_error", 7, 3],
      ],
    );
  });

  it("gives rollouts or reasons for any result", async function () {
    this.timeout(fuzzRuns() * 500);
    const steps = [{ step_name: "one", exception_info: null, verifier_result: { rewards: { reward: 1 } } }];
    await fuzzAdapter(harbor, [
      jsonSample("result.json", trial()),
      jsonSample("result.json", trial({ exception_info: exception("E"), step_results: steps })),
    ]);
  });
});
