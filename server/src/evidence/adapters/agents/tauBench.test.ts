import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { fuzzRuns } from "../../../../../test/support/base/fuzz.ts";
import { allRollouts, fixtureSet, importPaths, tally } from "../../../../../test/support/evidence/import.ts";
import type { Store } from "../../archive/store.ts";
import { makeWorkspace, type Workspace } from "../../../../../test/support/evidence/evidence.ts";
import { fuzzAdapter, jsonSample } from "../../../../../test/support/adapters/fuzzAdapter.ts";
import { tauBench } from "./tauBench.ts";

const call = (id: string, name: string): object => ({
  role: "assistant",
  content: null,
  tool_calls: [{ id, type: "function", function: { name, arguments: '{"a": 1}' } }],
});
const answer = (id: string, content: string): object => ({
  role: "tool",
  tool_call_id: id,
  name: "x",
  content,
});
const result = (changes: object = {}): object => ({
  task_id: 3,
  reward: 1,
  info: {
    task: { user_id: "u", instruction: "You want a refund.", actions: [], outputs: ["12"] },
    source: "user",
    user_cost: 0.01,
    reward_info: { reward: 1, info: { r_outputs: 1, outputs: { "12": true } }, actions: [] },
  },
  traj: [
    { role: "system", content: "# Retail agent policy\nBe kind." },
    { role: "user", content: "Hi." },
    call("c1", "find"),
    answer("c1", "Error: user not found"),
    call("c2", "find"),
    answer("c2", '{"id": 1}'),
    { role: "assistant", content: "Done." },
    { role: "user", content: "###STOP###" },
  ],
  trial: 0,
  ...changes,
});

describe("tau-bench", () => {
  let workspace: Workspace;
  let store: Store;
  beforeEach(async () => {
    workspace = await makeWorkspace();
    store = await workspace.open();
  });
  afterEach(() => workspace.remove());

  async function write(results: readonly unknown[]): Promise<string> {
    const path = workspace.file("gpt-retail.json");
    await writeFile(path, JSON.stringify(results, null, 2));
    return path;
  }

  it("reads trials as samples of their task, with calls, failures and checks", async () => {
    const actions = { reward: 0, info: { r_actions: false, gt_data_hash: "f" }, actions: [] };
    await importPaths(store, [
      await write([result(), result({ trial: 1, reward: 0, info: { task: {}, reward_info: actions } })]),
    ]);
    const [first, second] = await allRollouts(store);
    assert.ok(first !== undefined && second !== undefined);
    assert.deepEqual(
      [first.id, first.run, first.item, first.group, first.sample, first.outcome, first.components],
      ["3-0", "gpt-retail", "retail/3", "0/retail/3", 0, "pass", { reward: 1, r_outputs: 1 }],
    );
    assert.deepEqual(
      [second.sample, second.outcome, second.components],
      [1, "fail", { reward: 0, r_actions: 0 }],
    );
    assert.deepEqual(first.turns.slice(1, 7), [
      { role: "user", text: "Hi." },
      { role: "assistant", text: "", tool: "find", args: { a: 1 }, ok: false },
      { role: "tool", text: "Error: user not found" },
      { role: "assistant", text: "", tool: "find", args: { a: 1 }, ok: true },
      { role: "tool", text: '{"id": 1}' },
      { role: "assistant", text: "Done." },
    ]);
    assert.equal(Reflect.get(Object(first.extra["task"]), "instruction"), "You want a refund.");
  });

  const rewards: readonly [changes: object, outcome: string, reason?: RegExp][] = [
    [{ reward: 1 + 1e-7 }, "pass"],
    [{ reward: 0.999 }, "fail"],
    [{ reward: 0, info: { task: {}, source: "search" } }, "fail"],
    [{ reward: null }, "unknown", /reward is missing/],
    [
      { reward: 0, traj: [], info: { error: "429", traceback: "…" } },
      "unknown",
      /run of the task failed: 429/,
    ],
  ];
  for (const [changes, outcome, reason] of rewards)
    it(`reads ${JSON.stringify(changes)} as ${outcome}`, async () => {
      await importPaths(store, [await write([result(), result({ trial: 1, ...changes })])]);
      const rollout = (await allRollouts(store))[1];
      assert.deepEqual([rollout?.outcome, rollout?.item], [outcome, "retail/3"]);
      if (reason !== undefined) assert.match(rollout?.unknown_reason ?? "", reason);
    });

  it("pairs each answer with the call right before it, also where ids occur again", async () => {
    const traj = [
      { role: "user", content: "Hi." },
      call("c1", "find"),
      answer("c1", '{"id": 1}'),
      call("c1", "book"),
      answer("c1", "Error: payment amount does not add up"),
      call("c1", "think"),
      answer("c1", ""),
    ];
    await importPaths(store, [await write([result({ traj })])]);
    const turns = (await allRollouts(store))[0]?.turns ?? [];
    assert.deepEqual(
      turns.filter((turn) => turn.tool !== undefined).map(({ tool, ok }) => [tool, ok]),
      [
        ["find", true],
        ["book", false],
        ["think", true],
      ],
    );
  });

  it("sets damaged trials aside with their place, and reads a cut file up to its end", async () => {
    const path = await write([
      result(),
      7,
      result({ traj: "x" }),
      result({ trial: 1 }),
      result({ trial: 2 }),
    ]);
    const text = JSON.stringify([
      result(),
      7,
      result({ traj: "x" }),
      result({ trial: 1 }),
      result({ trial: 2 }),
    ]);
    await writeFile(path, text.slice(0, -50));
    const { counts } = await importPaths(store, [path], { as: "tau-bench" });
    assert.deepEqual([counts.rollouts, counts.problems.map((p) => p.line)], [2, [2, 3, 5, 6]]);
  });

  it("gives rollouts or reasons for any file", async function () {
    this.timeout(fuzzRuns() * 500);
    await fuzzAdapter(tauBench, [jsonSample("a.json", [result(), result({ trial: 1 })])]);
  });

  it("reads the real trials of 50 tasks", async function () {
    const { counts } = await importPaths(store, [fixtureSet(this, "agent_tau_bench")]);
    assert.deepEqual([counts.read, counts.rollouts, counts.quarantined], [1, 200, 0]);
    assert.deepEqual(await tally(store, "outcome"), { fail: 116, pass: 84 });
    assert.deepEqual(await tally(store, "sample"), { 0: 50, 1: 50, 2: 50, 3: 50 });
    assert.equal(Object.keys(await tally(store, "item")).length, 50);
    assert.deepEqual(new Set(Object.values(await tally(store, '"group"'))), new Set([4]));
    const rollouts = await allRollouts(store);
    const turns = rollouts.flatMap((r) => r.turns);
    const roles = ["system", "user", "assistant", "tool"];
    assert.deepEqual(
      roles.map((role) => turns.filter((t) => t.role === role).length),
      [200, 1490, 2454, 1164],
    );
    // Five conversations ran out of turns before they were judged.
    assert.equal(rollouts.filter((r) => r.extra["evaluated"] === false && r.outcome === "fail").length, 5);
    assert.equal(turns.filter((t) => t.tool !== undefined).length, 1164);
  });
});
