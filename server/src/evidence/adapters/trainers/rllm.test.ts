import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { allRollouts, importPaths } from "../../../../../test/support/evidence/import.ts";
import type { Store } from "../../archive/store.ts";
import { makeWorkspace, type Workspace } from "../../../../../test/support/evidence/evidence.ts";
import { rllm } from "./rllm.ts";
import { fuzzAdapter, jsonSample } from "../../../../../test/support/adapters/fuzzAdapter.ts";

describe("rLLM", () => {
  let workspace: Workspace;
  let store: Store;
  beforeEach(async () => {
    workspace = await makeWorkspace();
    store = await workspace.open();
  });
  afterEach(() => workspace.remove());

  async function write(path: string, document: unknown): Promise<string> {
    const file = workspace.file(path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, JSON.stringify(document, null, 2));
    return file;
  }

  const name = "episode_hashabcdef12_idtask-1_3.json";
  const opening = [{ role: "user", content: "2+2?" }];
  const first = [
    ...opening,
    { role: "assistant", content: "Hm.", tool_calls: [{ function: { name: "calc", arguments: '{"a":2}' } }] },
  ];
  const step = (chat: readonly object[], changes: object = {}): object => ({
    observation: null,
    thought: "",
    action: null,
    reward: 0,
    done: false,
    model_response: "",
    chat_completions: chat,
    timing: {},
    ...changes,
  });
  const trajectory = (changes: object = {}): Record<string, unknown> => ({
    name: "solver",
    uid: "uid-1",
    reward: 1,
    num_steps: 2,
    timing: { start_timestamp: "2026-01-01T00:00:00+00:00", total_time: 2.5 },
    steps: [
      step(first),
      step([...first, { role: "tool", content: "4" }, { role: "assistant", content: "It is 4." }], {
        reward: 1,
        done: true,
      }),
    ],
    ...changes,
  });
  const episode = (changes: object = {}): Record<string, unknown> => ({
    training_step: 5,
    epoch: 0,
    episode_id: "task-1:3",
    session_id: null,
    task: { question: "2+2?" },
    task_hash: "abcdef12",
    is_correct: true,
    termination_reason: "env_done",
    metrics: { acc: 1 },
    metadata: {},
    timing: {},
    trajectories: [trajectory()],
    ...changes,
  });

  it("reads an episode: messages that a step repeats appear once, and is_correct is the verdict", async () => {
    await write(`proj/run-1/episodes/train_step_5_epoch_0/${name}`, episode());
    await write("proj/run-1/episodes/train_step_5_epoch_0/batch_summary.json", {
      training_step: 5,
      mode: "train",
      episode_files: [],
    });
    const { counts, skipped } = await importPaths(store, [workspace.file("proj")]);
    assert.deepEqual([counts.rollouts, counts.quarantined, skipped.unrecognisedCount], [1, 0, 1]);
    const [rollout] = await allRollouts(store);
    assert.ok(rollout !== undefined);
    assert.deepEqual(rollout.turns, [
      { role: "user", text: "2+2?" },
      { role: "assistant", text: "Hm.", tool: "calc", args: { a: 2 } },
      { role: "tool", text: "4" },
      { role: "assistant", text: "It is 4." },
    ]);
    assert.deepEqual(
      [rollout.run, rollout.id, rollout.split, rollout.step, rollout.item, rollout.group, rollout.sample],
      ["run-1", "uid-1", "train", 5, "abcdef12", "5/task-1", 3],
    );
    assert.deepEqual(
      [rollout.outcome, rollout.reward, rollout.stop_reason, rollout.started_at, rollout.duration_ms],
      ["pass", 1, "env_done", "2026-01-01T00:00:00+00:00", 2500],
    );
    assert.deepEqual([rollout.components, rollout.extra["step_rewards"]], [{ acc: 1 }, [0, 1]]);
  });

  it("shows a step's messages again when its context was rebuilt, and reads steps without messages", async () => {
    const steps = [
      step([{ role: "system", content: "S" }, ...first]),
      step([
        { role: "system", content: "S" },
        { role: "user", content: "Summary." },
        { role: "assistant", content: "4" },
      ]),
      step([], { observation: "board", thought: "Left?", model_response: "left" }),
    ];
    await importPaths(store, [await write(`e/${name}`, episode({ trajectories: [trajectory({ steps })] }))]);
    assert.deepEqual(
      (await allRollouts(store))[0]?.turns.map((t) => t.text),
      ["S", "2+2?", "Hm.", "Summary.", "4", "board", "<think>\nLeft?\n</think>\n\nleft"],
    );
  });

  it("does not give one episode's verdict to several trajectories", async () => {
    const trajectories = [
      trajectory(),
      trajectory({ uid: "uid-2", reward: 0 }),
      trajectory({ uid: "uid-3", name: "judge" }),
    ];
    await importPaths(store, [await write(`e/${name}`, episode({ trajectories }))]);
    const all = await allRollouts(store);
    assert.deepEqual(
      all.map((r) => [r.id, r.group, r.sample, r.outcome]),
      [
        ["uid-1", "5/task-1/solver", 0, "unknown"],
        ["uid-2", "5/task-1/solver", 1, "unknown"],
        ["uid-3", "5/task-1/judge", 0, "unknown"],
      ],
    );
    assert.match(all[0]?.unknown_reason ?? "", /whole episode, which has 3 trajectories/);
  });

  const undecided: readonly (readonly [string, object, RegExp])[] = [
    ["an error", { termination_reason: "error", is_correct: false }, /ended with error/],
    ["a timeout", { termination_reason: "timeout", is_correct: false }, /ended with timeout/],
    ["an episode without trajectories", { trajectories: [] }, /no trajectory/],
    ["a trajectory without steps", { trajectories: [trajectory({ steps: [] })] }, /no steps/],
  ];
  for (const [what, change, reason] of undecided)
    it(`leaves ${what} undecided`, async () => {
      await importPaths(store, [await write(`e/${name}`, episode(change))], { passWhen: "true" });
      const [rollout] = await allRollouts(store);
      assert.equal(rollout?.outcome, "unknown");
      assert.match(rollout.unknown_reason ?? "", reason);
    });

  it("quarantines entries that are not trajectories and refuses files that are not episodes", async () => {
    const { counts } = await importPaths(store, [
      await write(`e/${name}`, episode({ trajectories: [3, trajectory()] })),
    ]);
    assert.deepEqual(
      [counts.rollouts, counts.problems.map((p) => p.reason)],
      [1, ["trajectory 0 must be an object"]],
    );
    const other = await importPaths(store, [await write("other.json", { a: 1 })], { as: rllm });
    assert.match(other.counts.refused[0]?.reason ?? "", /is not an episode/);
  });

  it("gives rollouts or refusals for any input", () => fuzzAdapter(rllm, [jsonSample(name, episode())]));
});
