import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { allRollouts, importPaths } from "../../../../../test/support/evidence/import.ts";
import type { Store } from "../../archive/store.ts";
import { makeWorkspace, type Workspace } from "../../../../../test/support/evidence/evidence.ts";
import { terminalBench } from "./terminalBench.ts";
import { fuzzAdapter } from "../../../../../test/support/adapters/fuzzAdapter.ts";

const trial = (changes: object = {}): Record<string, unknown> => ({
  id: "a1f34136-1523-429b-894e-ef34c154ea78",
  trial_name: "hello.2-of-3.run1",
  task_id: "hello",
  instruction: "Say hello.",
  is_resolved: true,
  failure_mode: "unset",
  parser_results: { test_a: "passed", test_b: "passed" },
  recording_path: "run1/hello/hello.2-of-3.run1/sessions/agent.cast",
  total_input_tokens: 100,
  total_output_tokens: 9,
  trial_started_at: "2025-09-05T23:33:51.941797+00:00",
  trial_ended_at: "2025-09-05T23:34:33.629488+00:00",
  agent_started_at: "2025-09-05T23:34:12.000000+00:00",
  agent_ended_at: "2025-09-05T23:34:13.500000+00:00",
  ...changes,
});

describe("Terminal-Bench results", () => {
  let workspace: Workspace;
  let store: Store;
  beforeEach(async () => {
    workspace = await makeWorkspace();
    store = await workspace.open();
  });
  afterEach(() => workspace.remove());

  async function put(path: string, value: unknown): Promise<string> {
    const full = workspace.file(path);
    await mkdir(dirname(full), { recursive: true });
    await writeFile(full, typeof value === "string" ? value : JSON.stringify(value));
    return full;
  }

  it("are read with the run's settings and the agent's episodes", async () => {
    const folder = "run1/hello/hello.2-of-3.run1";
    await put(`${folder}/results.json`, trial());
    await put("run1/run_metadata.json", { model_name: "m/1", agent_name: "terminus", commit_hash: "abc" });
    const answer = 'Sure: {"analysis": "A", "commands": [{"keystrokes": "ls\\n"}, {"keystrokes": "q"}]}';
    for (const [episode, prompt, response] of [
      ["episode-10", "screen 10", "not JSON {"],
      ["episode-9", "screen 9", answer],
      ["episode-0", "Say hello.", "{}"],
    ] as const) {
      await put(`${folder}/agent-logs/${episode}/prompt.txt`, prompt);
      await put(
        `${folder}/agent-logs/${episode}/response.${episode === "episode-0" ? "json" : "txt"}`,
        response,
      );
    }
    const { skipped } = await importPaths(store, [workspace.file("run1")]);
    assert.equal(skipped.unrecognisedCount, 0);
    const [rollout] = await allRollouts(store);
    assert.ok(rollout !== undefined);
    assert.deepEqual(
      [
        rollout.run,
        rollout.id,
        rollout.item,
        rollout.sample,
        rollout.outcome,
        rollout.stop_reason,
        rollout.tokens,
      ],
      ["run1", "hello.2-of-3.run1", "hello", 1, "pass", "unset", 9],
    );
    assert.deepEqual(
      [rollout.policy, rollout.harness, rollout.duration_ms, rollout.started_at],
      ["m/1", "abc", 1500, "2025-09-05T23:34:12.000000+00:00"],
    );
    assert.deepEqual(rollout.components, { is_resolved: 1, "tests.passed": 2, "tests.failed": 0 });
    assert.deepEqual(rollout.turns, [
      { role: "user", text: "Say hello." },
      { role: "assistant", text: "{}" },
      { role: "tool", text: "screen 9" },
      { role: "assistant", text: answer, tool: "terminal", args: { keystrokes: "ls\n" } },
      { role: "assistant", text: "", tool: "terminal", args: { keystrokes: "q" } },
      { role: "tool", text: "screen 10" },
      { role: "assistant", text: "not JSON {" },
    ]);
  });

  const verdicts: [object, string, RegExp | undefined][] = [
    [{ is_resolved: false, parser_results: { test_a: "failed" } }, "fail", undefined],
    [{ is_resolved: false, failure_mode: "agent_timeout" }, "fail", undefined],
    [{ is_resolved: true, failure_mode: "agent_timeout" }, "pass", undefined],
    [{ is_resolved: true, parser_results: {} }, "unknown", /but no test ran/],
    [{ is_resolved: null, failure_mode: "test_timeout" }, "unknown", /tests did not finish/],
    [{ is_resolved: null, failure_mode: "parse_error" }, "unknown", /could not be read/],
    [{ is_resolved: false, failure_mode: "unknown_agent_error" }, "unknown", /agent's program failed/],
    [
      { is_resolved: null, failure_mode: "agent_timeout" },
      "unknown",
      /is_resolved is null after agent_timeout/,
    ],
    [{ is_resolved: null }, "unknown", /ended before its tests/],
    [{ is_resolved: false, failure_mode: "melted" }, "unknown", /melted, which is not a known way/],
    [{ is_resolved: "yes" }, "unknown", /ended before its tests/],
  ];
  for (const [changes, outcome, reason] of verdicts)
    it(`with ${JSON.stringify(changes)} are ${outcome}`, async () => {
      await importPaths(store, [await put("run1/results.json", trial(changes))]);
      const [rollout] = await allRollouts(store);
      assert.equal(rollout?.outcome, outcome);
      if (reason !== undefined) assert.match(rollout.unknown_reason ?? "", reason);
    });

  it("of a whole run are used only for trials that have no file", async () => {
    const named = (name: string, changes: object = {}): object =>
      trial({ trial_name: `hello.${name}.run1`, ...changes });
    await put("run1/hello/hello.1-of-3.run1/results.json", named("1-of-3"));
    await put("run1/results.json", {
      results: [
        named("1-of-3"),
        named("2-of-3"),
        named("3-of-3", { task_id: "../../etc", total_output_tokens: 0 }),
      ],
      accuracy: 1,
      resolved_ids: ["hello"],
    });
    const { counts } = await importPaths(store, [workspace.file("run1")]);
    assert.deepEqual([counts.rollouts, counts.quarantined], [3, 0]);
    assert.deepEqual(
      (await allRollouts(store)).map((r) => [r.run, r.id, r.item, r.sample, r.tokens]),
      [
        ["run1", "hello.1-of-3.run1", "hello", 0, 9],
        ["run1", "hello.2-of-3.run1", "hello", 1, 9],
        ["run1", "hello.3-of-3.run1", "../../etc", 2, null],
      ],
    );
  });

  it("of a whole run are left alone when every trial has its file", async () => {
    await put("run1/hello/hello.2-of-3.run1/results.json", trial());
    await put("run1/results.json", { results: [trial()] });
    const { counts, skipped } = await importPaths(store, [workspace.file("run1")]);
    assert.deepEqual([counts.rollouts, counts.quarantined, skipped.unrecognisedCount], [1, 0, 0]);
  });

  it("that are broken cause no error", () =>
    fuzzAdapter(terminalBench, [
      { value: trial(), name: "results.json" },
      { value: { results: [trial(), trial({ trial_name: "b" })] }, name: "results.json" },
    ]));
});
