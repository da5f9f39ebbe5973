import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { fuzzRuns } from "../../../../../test/support/base/fuzz.ts";
import { allRollouts, importPaths } from "../../../../../test/support/evidence/import.ts";
import type { Store } from "../../archive/store.ts";
import { makeWorkspace, type Workspace } from "../../../../../test/support/evidence/evidence.ts";
import { fuzzAdapter, jsonSample } from "../../../../../test/support/adapters/fuzzAdapter.ts";
import { tau2 } from "./tau2.ts";

const info = {
  git_commit: "abc",
  num_trials: 2,
  agent_info: { implementation: "llm_agent", llm: "m1" },
  user_info: { implementation: "user_simulator", llm: "u1" },
  environment_info: { domain_name: "telecom", policy: "Be kind." },
  seed: 300,
};
const messages = [
  { role: "assistant", content: "Hi!", turn_idx: 0 },
  {
    role: "user",
    content: null,
    tool_calls: [{ id: "u1", name: "reboot", arguments: {}, requestor: "user" }],
  },
  { role: "tool", id: "u1", content: "ok", requestor: "user", error: false },
  {
    role: "assistant",
    content: "Wait.",
    tool_calls: [
      { id: "a1", name: "find", arguments: { q: 1 }, requestor: "assistant" },
      { id: "a2", name: "find", arguments: { q: 2 }, requestor: "assistant" },
    ],
    usage: { completion_tokens: 5 },
    generation_time_seconds: 0.5,
  },
  {
    role: "tool",
    tool_messages: [
      { role: "tool", id: "a1", content: "none", requestor: "assistant", error: true },
      { role: "tool", id: "a2", content: "one", requestor: "assistant", error: false },
    ],
  },
  { role: "user", content: "###STOP###", usage: { completion_tokens: 90 } },
];
const simulation = (changes: object = {}): object => ({
  id: "s1",
  task_id: "7",
  start_time: "2026-01-02T03:04:05.5",
  end_time: "2026-01-02T03:04:25",
  duration: 19.5,
  termination_reason: "user_stop",
  reward_info: {
    reward: 1,
    db_check: { db_match: true, db_reward: 1 },
    action_checks: [
      { action_match: true, action_reward: 1 },
      { action_match: false, action_reward: 0 },
    ],
    reward_breakdown: { DB: 1, COMMUNICATE: 1 },
  },
  messages,
  trial: 1,
  seed: 11,
  ...changes,
});
const results = (...simulations: unknown[]): object => ({
  timestamp: "2026-01-02T03:04:05",
  info,
  tasks: [{ id: "7" }],
  simulations,
});

describe("tau2", () => {
  let workspace: Workspace;
  let store: Store;
  beforeEach(async () => {
    workspace = await makeWorkspace();
    store = await workspace.open();
  });
  afterEach(() => workspace.remove());

  async function write(name: string, value: unknown): Promise<void> {
    await mkdir(dirname(workspace.file(name)), { recursive: true });
    await writeFile(workspace.file(name), JSON.stringify(value, null, 2));
  }

  it("reads simulations, with the user's calls as text and the agent's as calls", async () => {
    await write("data/run.json", results(simulation()));
    await importPaths(store, [workspace.file("data")]);
    const [rollout] = await allRollouts(store);
    assert.ok(rollout !== undefined);
    const { extra, ...rest } = rollout;
    assert.deepEqual(rest, {
      id: "s1",
      run: "run",
      split: "selection",
      step: 0,
      item: "telecom/7",
      group: "0/telecom/7",
      sample: 1,
      outcome: "pass",
      reward: 1,
      components: { reward: 1, db_reward: 1, DB: 1, COMMUNICATE: 1, action_checks: 0.5 },
      stop_reason: "user_stop",
      turns: [
        { role: "assistant", text: "Hi!" },
        { role: "user", text: "[reboot {}]" },
        { role: "tool", text: "[to the user] ok" },
        { role: "assistant", text: "Wait.", tool: "find", args: { q: 1 }, ok: false, tokens: 5, ms: 500 },
        { role: "assistant", text: "", tool: "find", args: { q: 2 }, ok: true },
        { role: "tool", text: "none" },
        { role: "tool", text: "one" },
        { role: "user", text: "###STOP###" },
      ],
      tokens: 5,
      policy: "m1",
      harness: "abc",
      seed: 11,
      started_at: "2026-01-02T03:04:05.5",
      duration_ms: 19_500,
    });
    assert.equal(extra["agent"], "llm_agent");
  });

  const zero = { reward: 0, info: { note: "Simulation terminated prematurely." } };
  const ends: readonly [changes: object, outcome: string, reason?: RegExp][] = [
    [{ termination_reason: "agent_stop" }, "pass"],
    [{ reward_info: { reward: 0.5 } }, "fail"],
    [{ termination_reason: "max_steps", reward_info: zero }, "fail"],
    [{ termination_reason: "too_many_errors", reward_info: zero }, "fail"],
    [{ termination_reason: "agent_error", reward_info: zero }, "fail"],
    [{ termination_reason: "context_window_exceeded", reward_info: zero }, "fail"],
    [
      { termination_reason: "user_error", reward_info: zero },
      "unknown",
      /simulated user failed \(user_error\)/,
    ],
    [{ termination_reason: "timeout", reward_info: zero }, "unknown", /ran out of time \(timeout\)/],
    [{ termination_reason: "unexpected_error", reward_info: zero }, "unknown", /\(unexpected_error\)/],
    [
      { termination_reason: "infrastructure_error", reward_info: null, info: { error: "disconnected" } },
      "unknown",
      /never ran \(infrastructure_error\): disconnected/,
    ],
    [{ reward_info: null }, "unknown", /not evaluated \(user_stop\)/],
    [
      { reward_info: { reward: 1, info: { note: "No evaluation criteria" } } },
      "unknown",
      /no evaluation criteria/,
    ],
  ];
  for (const [changes, outcome, reason] of ends)
    it(`reads ${JSON.stringify(changes)} as ${outcome}`, async () => {
      await write("data/run.json", results(simulation(changes)));
      await importPaths(store, [workspace.file("data")]);
      const [rollout] = await allRollouts(store);
      assert.equal(rollout?.outcome, outcome);
      assert.equal(rollout.stop_reason, Reflect.get(simulation(changes), "termination_reason"));
      if (reason !== undefined) assert.match(rollout.unknown_reason ?? "", reason);
    });

  it("reads a folder of simulations as one run, with the settings from its results file", async () => {
    const id = (n: number): string => `00000000-0000-4000-8000-00000000000${n}`;
    const ticks = [
      { agent_chunk: { role: "assistant", content: "Hel" }, user_chunk: { role: "user", content: null } },
      { agent_chunk: { role: "assistant", content: "lo." } },
      {
        agent_tool_calls: [{ id: "a", name: "find", arguments: {} }],
        agent_tool_results: [{ role: "tool", id: "a", content: "x", error: false }],
      },
      { user_chunk: { role: "user", content: "UklGRg==", is_audio: true, audio_script_gold: "Bye." } },
    ];
    await write("voice/results.json", { timestamp: "x", info, tasks: [], simulation_index: [] });
    await write(`voice/simulations/${id(1)}.json`, simulation({ id: id(1) }));
    await write(
      `voice/simulations/${id(2)}.json`,
      simulation({ id: id(2), trial: 0, messages: undefined, ticks }),
    );
    await importPaths(store, [workspace.file("voice")]);
    const rollouts = await allRollouts(store);
    assert.deepEqual(
      rollouts.map((r) => [r.run, r.item, r.sample, r.policy]),
      [
        ["voice", "telecom/7", 1, "m1"],
        ["voice", "telecom/7", 0, "m1"],
      ],
    );
    assert.deepEqual(rollouts[1]?.turns, [
      { role: "assistant", text: "Hello." },
      { role: "assistant", text: "", tool: "find", args: {}, ok: true },
      { role: "tool", text: "x" },
      { role: "user", text: "Bye." },
    ]);
  });

  it("reads the state of a tau3 conversation, which has no verdict", async () => {
    const state = {
      domain: "retail",
      task_id: "7",
      termination_reason: "agent_stop",
      step_count: 3,
      num_errors: 0,
      max_steps: 9,
      seed: 5,
      agent: "a",
      agent_model: "m1",
      messages,
    };
    await write("job/trial__x/agent/tau3_runtime_state.json", state);
    await write("job/trial__y/agent/tau3_runtime_state.json", {
      ...state,
      termination_reason: "infrastructure_error",
    });
    await importPaths(store, [workspace.file("job")]);
    assert.deepEqual(
      (await allRollouts(store)).map((r) => [
        r.run,
        r.id,
        r.item,
        r.outcome,
        r.unknown_reason,
        r.stop_reason,
        r.tokens,
      ]),
      [
        [
          "job",
          "trial__x",
          "retail/7",
          "unknown",
          "the state of a conversation has no reward",
          "agent_stop",
          5,
        ],
        [
          "job",
          "trial__y",
          "retail/7",
          "unknown",
          "the simulation never ran (infrastructure_error)",
          "infrastructure_error",
          5,
        ],
      ],
    );
  });

  it("sets damaged simulations aside, and refuses by name a document that is cut off", async () => {
    await write("data/run.json", results(simulation(), 3, simulation({ task_id: null })));
    await writeFile(workspace.file("data/cut.json"), JSON.stringify(results(simulation())).slice(0, -30));
    const { counts } = await importPaths(store, [workspace.file("data")]);
    assert.deepEqual([counts.rollouts, counts.problems.map((p) => p.line)], [1, [2, 3]]);
    assert.match(
      counts.refused[0]?.reason ?? "",
      /cut\.json cannot be read: it ends in the middle of a value/,
    );
  });

  it("gives rollouts or reasons for any file", async function () {
    this.timeout(fuzzRuns() * 500);
    await fuzzAdapter(tau2, [
      jsonSample("a.json", results(simulation(), simulation({ trial: 0 }))),
      jsonSample("b.json", simulation()),
      jsonSample("c.json", { domain: "d", task_id: 1, termination_reason: "x", step_count: 1, messages }),
    ]);
  });
});
