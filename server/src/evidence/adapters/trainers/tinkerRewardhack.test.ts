import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { allRollouts, fixtureSet, importPaths } from "../../../../../test/support/evidence/import.ts";
import type { Store } from "../../archive/store.ts";
import { makeWorkspace, type Workspace } from "../../../../../test/support/evidence/evidence.ts";
import { assertCoverage, rolloutsOf } from "../../../../../test/support/adapters/adapter.ts";
import { fuzzAdapter, jsonSample } from "../../../../../test/support/adapters/fuzzAdapter.ts";
import { tinkerRewardhack } from "./tinkerRewardhack.ts";

describe("transcripts of tinker-cookbook-reward-hacking", () => {
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

  const call = { type: "function", id: null, function: { name: "bash", arguments: '{"command":"ls"}' } };
  const transcript = (metrics: object = {}, changes: object = {}): Record<string, unknown> => ({
    rollouts: [
      { role: "system", content: "Solve." },
      { role: "user", content: "Problem" },
      {
        role: "assistant",
        content: [
          { type: "text", text: "I look." },
          { type: "tool_call", tool_call: call },
        ],
        tool_calls: [call],
      },
      {
        role: "user",
        content:
          "You have 2 remaining tool calls.\n\nHere is the output of the tool you called:\n\nEXIT CODE: 1\n\nSTDERR: no",
      },
      { role: "assistant", content: "Done." },
    ],
    metrics: {
      docker_error: 0,
      could_not_run_tests: 0,
      tests_timed_out: 0,
      public_reward: 1,
      private_reward: 0.5,
      n_tool_timeouts: 0,
      ...metrics,
    },
    env_type: "BashCodeforcesEnv",
    env_config: { public_test_weight_in_reward: 0.75 },
    ...changes,
  });

  it("are read with each call once, answers as tool turns with exit codes, and separate public and private rewards", async () => {
    await importPaths(store, [await write("rollouts/rollouts_0208T08_48-1.json", transcript())]);
    const [rollout] = await allRollouts(store);
    assert.ok(rollout !== undefined);
    assert.deepEqual(
      rollout.turns.map((t) => [t.role, t.tool, t.ok, t.text.slice(0, 8)]),
      [
        ["system", undefined, undefined, "Solve."],
        ["user", undefined, undefined, "Problem"],
        ["assistant", "bash", false, "I look."],
        ["tool", undefined, undefined, "You have"],
        ["assistant", undefined, undefined, "Done."],
      ],
    );
    assert.deepEqual(
      [rollout.run, rollout.id, rollout.reward, rollout.outcome],
      ["rollouts", "rollouts_0208T08_48-1", 0.875, "unknown"],
    );
    assert.deepEqual([rollout.components["public_reward"], rollout.components["private_reward"]], [1, 0.5]);
    assert.match(rollout.unknown_reason ?? "", /not a verdict/);
  });

  for (const broken of ["docker_error", "could_not_run_tests", "tests_timed_out", "failed_startup_commands"])
    it(`leave ${broken} undecided whatever the rewards`, async () => {
      await importPaths(store, [await write("t.json", transcript({ [broken]: 1 }))], {
        passWhen: "true",
      });
      const [rollout] = await allRollouts(store);
      assert.deepEqual(
        [rollout?.outcome, rollout?.unknown_reason],
        ["unknown", `the environment reports ${broken}`],
      );
    });

  it("have no reward when the weight of the public tests is missing", async () => {
    await importPaths(store, [await write("t.json", transcript({}, { env_config: {} }))]);
    assert.equal((await allRollouts(store))[0]?.reward, null);
  });

  it("give rollouts or refusals for any input", () =>
    fuzzAdapter(tinkerRewardhack, [jsonSample("t.json", transcript())]));

  it("are read from the real files", async function () {
    const path = fixtureSet(this, "rl_tinker_rewardhack_rollouts");
    const { counts, skipped } = await importPaths(store, [path]);
    assert.deepEqual([counts.rollouts, counts.quarantined, skipped.unrecognisedCount], [40, 0, 1]);
    const all = await rolloutsOf(tinkerRewardhack, path);
    assertCoverage(tinkerRewardhack, all);
    const reasons: Record<string, number> = {};
    for (const { unknown_reason: reason = "" } of all) reasons[reason] = (reasons[reason] ?? 0) + 1;
    assert.deepEqual(reasons, {
      "the environment reports docker_error": 39,
      "rewards are shares of tests that passed, not a verdict": 1,
    });
  });
});
