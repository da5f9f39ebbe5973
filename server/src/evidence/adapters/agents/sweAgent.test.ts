import assert from "node:assert/strict";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { allRollouts, fixtureSet, importPaths, tally } from "../../../../../test/support/evidence/import.ts";
import type { Store } from "../../archive/store.ts";
import { makeWorkspace, type Workspace } from "../../../../../test/support/evidence/evidence.ts";
import { sweAgent } from "./sweAgent.ts";
import { fuzzAdapter, type FuzzSample } from "../../../../../test/support/adapters/fuzzAdapter.ts";

const system = { role: "system", content: "You fix bugs.", agent: "main", message_type: "system_prompt" };
const request = { role: "user", content: "ISSUE: it breaks", agent: "main", message_type: "observation" };
const demo = { role: "assistant", content: "ls", is_demo: true, action: "ls", agent: "main" };

/** As SWE-agent 1.x writes it: tool calls, times, a step that was asked for again. */
const current = {
  trajectory: [
    {
      action: "",
      observation: "",
      response: "no command",
      thought: "no command",
      execution_time: 0,
      state: {},
    },
    {
      action: "open a.py",
      observation: "1: x",
      response: "I look.",
      thought: "I look.",
      execution_time: 0.25,
      state: { open_file: "n/a" },
      query: [{}],
    },
    {
      action: "submit",
      observation: "diff",
      response: "Done.",
      thought: "Done.",
      execution_time: 1,
      state: {},
    },
  ],
  history: [
    system,
    demo,
    request,
    {
      role: "assistant",
      content: "I look.",
      action: "open a.py",
      tool_calls: [{ function: { name: "open", arguments: '{"path":"a.py"}' }, id: "c1", type: "function" }],
      message_type: "action",
    },
    { role: "tool", content: "[File: a.py]\n1: x", tool_call_ids: ["c1"], message_type: "observation" },
    {
      role: "assistant",
      content: "Done.",
      action: "submit",
      tool_calls: [{ function: { name: "submit", arguments: "{}" } }],
    },
  ],
  info: {
    model_stats: { instance_cost: 0.1, tokens_sent: 100, tokens_received: 12, api_calls: 3 },
    exit_status: "submitted",
    submission: "diff --git",
    swe_agent_hash: "abc123",
  },
  replay_config: JSON.stringify({
    problem_statement: { id: "org__repo-1" },
    agent: { model: { name: "m1" } },
  }),
  environment: "main",
};

/** As SWE-agent 0.x wrote it: state as JSON in a text, commands in the text, no times. */
const old = {
  environment: "swe_main",
  trajectory: [
    {
      action: "grep -r x .\n",
      observation: "a.py: x",
      response: "Look:\n```\ngrep -r x .\n```",
      state: '{"open_file": "n/a"}\n',
      thought: "Look:",
    },
  ],
  history: [
    { role: "system", content: "S", agent: "primary" },
    { role: "user", content: "U", agent: "primary" },
    { role: "assistant", content: "Look:\n```\ngrep -r x .\n```", thought: "Look:", action: "grep -r x .\n" },
    { role: "user", content: "a.py: x\nbash-$", agent: "primary" },
  ],
  info: { exit_status: "exit_cost", submission: null, model_stats: { tokens_received: 7 } },
};

describe("SWE-agent trajectories", () => {
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
    await writeFile(full, JSON.stringify(value));
    return full;
  }

  const report = (instance: string, resolved: boolean): object => ({
    [instance]: { resolved, tests_status: { FAIL_TO_PASS: { success: ["a", "b"], failure: ["c"] } } },
  });

  it("says of an edit whether it was applied, as its answer does", async () => {
    const step = (action: string, observation: string): object => ({
      ...{ action, observation },
      response: "I do.",
    });
    const shown = "[File: /a.py (2 lines total)]\n1:x = 1";
    const trajectory = [
      step(
        "edit 1:1\nx = (\nend_of_edit",
        "Your proposed edit has introduced new syntax error(s).\nYour changes have NOT been applied.",
      ),
      // A helper of the tool breaks, and the edit is made.
      step(
        "edit 1:1\nx = 1\nend_of_edit",
        `  File "/root/commands/_split_string", line 17\nSyntaxError: future feature\n${shown}`,
      ),
      step("create b.py", shown),
      step("open a.py", shown),
      step("edit 1:1\ny", "Something else."),
    ];
    await importPaths(store, [
      await put("org__repo-2.traj", { ...current, trajectory, history: [system, request] }),
    ]);
    const turns = (await allRollouts(store))[0]?.turns ?? [];
    assert.deepEqual(
      turns.filter((turn) => turn.tool !== undefined).map(({ tool, ok }) => [tool, ok]),
      [
        ["edit", false],
        ["edit", true],
        ["create", true],
        ["open", undefined],
        ["edit", undefined],
      ],
    );
  });

  it("are read in the current form with their report: calls, answers, times and steps that left no history", async () => {
    await put("out/org__repo-1/org__repo-1.traj", current);
    await put("out/org__repo-1/report.json", report("org__repo-1", true));
    const { skipped } = await importPaths(store, [workspace.file("out")]);
    assert.equal(skipped.unrecognisedCount, 0);
    const [rollout] = await allRollouts(store);
    assert.ok(rollout !== undefined);
    assert.deepEqual(
      [rollout.run, rollout.id, rollout.item, rollout.outcome, rollout.stop_reason, rollout.tokens],
      ["out", "org__repo-1", "org__repo-1", "pass", "submitted", 12],
    );
    assert.deepEqual([rollout.policy, rollout.harness, rollout.split], ["m1", "abc123", "selection"]);
    assert.deepEqual(rollout.components, {
      resolved: 1,
      "FAIL_TO_PASS.success": 2,
      "FAIL_TO_PASS.failure": 1,
    });
    assert.deepEqual(rollout.turns, [
      { role: "system", text: "You fix bugs." },
      { role: "system", text: "[demonstration: assistant]\nls" },
      { role: "user", text: "ISSUE: it breaks" },
      { role: "assistant", text: "no command" },
      { role: "assistant", text: "I look.", tool: "open", args: { path: "a.py" } },
      { role: "tool", text: "[File: a.py]\n1: x", ms: 250 },
      { role: "assistant", text: "Done.", tool: "submit", args: {} },
      { role: "tool", text: "diff", ms: 1000 },
    ]);
    assert.equal(rollout.extra["submission"], "diff --git");
  });

  it("of 2024 are read with the command taken out of the action", async () => {
    await put("run1/trajs/a__b-1.traj", old);
    await importPaths(store, [workspace.file("run1")]);
    const [rollout] = await allRollouts(store);
    assert.deepEqual(
      [rollout?.run, rollout?.outcome, rollout?.unknown_reason, rollout?.stop_reason, rollout?.policy],
      ["run1", "unknown", "no report beside the trajectory names its instance", "exit_cost", null],
    );
    assert.deepEqual(rollout?.turns.slice(2), [
      {
        role: "assistant",
        text: "Look:\n```\ngrep -r x .\n```",
        tool: "bash",
        args: { command: "grep -r x ." },
      },
      { role: "tool", text: "a.py: x\nbash-$" },
    ]);
  });

  const exits: [unknown, boolean | undefined, string, RegExp | undefined][] = [
    ["submitted", undefined, "unknown", /no report/],
    ["submitted (exit_cost)", false, "fail", undefined],
    ["exit_context", undefined, "unknown", /no report/],
    ["exit_api", undefined, "unknown", /exit_api: the model could not be reached/],
    ["submitted (exit_environment_error)", false, "unknown", /environment broke/],
    ["submitted (exit_environment_error)", true, "pass", undefined],
    ["exit_by_magic", undefined, "unknown", /exit_by_magic, which is not a known way/],
    [null, undefined, "unknown", /exit_status is null/],
    [null, true, "pass", undefined],
  ];
  for (const [status, resolved, outcome, reason] of exits)
    it(`with exit status ${String(status)} and a report of ${String(resolved)} are ${outcome}`, async () => {
      await put("run/trajs/i-1.traj", { ...old, info: { ...old.info, exit_status: status } });
      if (resolved !== undefined) await put("run/reports/i-1.report.json", report("i-1", resolved));
      await importPaths(store, [workspace.file("run")]);
      const [rollout] = await allRollouts(store);
      assert.equal(rollout?.outcome, outcome);
      if (reason !== undefined) assert.match(rollout.unknown_reason ?? "", reason);
    });

  it("take a run's lists as verdicts only for the instances that the lists name", async () => {
    const names = ["good", "bad", "broken", "absent"];
    for (const name of names) await put(`run/trajs/${name}.traj`, old);
    await put("run/results.json", {
      resolved_ids: ["good"],
      unresolved_ids: ["bad"],
      error_ids: ["broken"],
      submitted_ids: names,
    });
    await importPaths(store, [workspace.file("run")]);
    assert.deepEqual(
      (await allRollouts(store)).map((r) => [r.item, r.outcome, r.unknown_reason]),
      [
        ["absent", "unknown", "no report beside the trajectory names its instance"],
        ["bad", "fail", undefined],
        ["broken", "unknown", "../results.json lists it under errors: its evaluation reached no verdict"],
        ["good", "pass", undefined],
      ],
    );
  });

  it("take the lists of the leaderboard as verdicts, and trust no two reports that contradict each other", async () => {
    for (const name of ["a", "b", "c", "d"]) await put(`run/trajs/${name}.traj`, old);
    await put("run/results/results.json", { resolved: ["a", "d"], no_generation: [], no_logs: ["c"] });
    await put("run/logs/d/report.json", report("d", false));
    await importPaths(store, [workspace.file("run")]);
    const [a, b, c, d] = await allRollouts(store);
    assert.deepEqual(
      [a?.outcome, b?.outcome, c?.outcome, d?.outcome],
      ["pass", "fail", "unknown", "unknown"],
    );
    assert.match(d?.unknown_reason ?? "", /contradict each other/);
  });

  it("number the attempts at one instance, and judge the chosen one", async () => {
    const attempt = (status: string): object => ({ ...old, info: { ...old.info, exit_status: status } });
    await put("out/i-1/i-1.traj", {
      ...current,
      attempts: [attempt("submitted"), attempt("exit_api"), 3],
      info: { ...current.info, best_attempt_idx: 0 },
    });
    await put("out/i-1/i-1.report.json", report("i-1", true));
    const { counts } = await importPaths(store, [workspace.file("out/i-1/i-1.traj")]);
    assert.equal(counts.problems[0]?.reason, "attempts[2] must be an object");
    assert.deepEqual(
      (await allRollouts(store)).map((r) => [r.id, r.sample, r.outcome]),
      [
        ["i-1.0", 0, "pass"],
        ["i-1.1", 1, "unknown"],
      ],
    );
  });

  it("are read from the real evaluations", async function () {
    const { counts, skipped } = await importPaths(store, [
      fixtureSet(this, "agent_sweagent_claude35_verified"),
    ]);
    assert.deepEqual([counts.rollouts, counts.quarantined, skipped.unrecognisedCount], [5, 0, 1]);
    assert.deepEqual(await tally(store, "run"), { agent_sweagent_claude35_verified: 5 });
    assert.deepEqual(
      (await allRollouts(store)).map((r) => [r.item, r.outcome, r.tokens]),
      [
        ["django__django-10914", "pass", 1644],
        ["django__django-11087", "fail", 2371],
        ["django__django-11095", "pass", 2061],
        ["django__django-11099", "pass", 1656],
        ["django__django-11133", "pass", 1653],
      ],
    );
    for (const { turns, stop_reason } of await allRollouts(store)) {
      assert.equal(stop_reason, "submitted");
      assert.deepEqual(
        turns.slice(0, 3).map((t) => t.role),
        ["system", "system", "user"],
      );
      assert.equal(turns.at(-2)?.tool, "submit");
      assert.equal(
        turns.filter((t) => t.role === "assistant").length,
        turns.filter((t) => t.role === "tool").length,
      );
    }
  });

  it("are read from the real demonstrations", async function () {
    const { counts } = await importPaths(store, [fixtureSet(this, "agent_sweagent_demos")]);
    assert.deepEqual([counts.rollouts, counts.quarantined], [22, 0]);
    assert.deepEqual(await tally(store, "outcome"), { unknown: 22 });
    assert.deepEqual(await tally(store, "stop_reason"), { null: 1, submitted: 21 });
    const rollouts = await allRollouts(store);
    const answers = rollouts.reduce((n, r) => n + r.turns.filter((t) => t.role === "assistant").length, 0);
    assert.equal(answers, 232);
    assert.deepEqual(
      rollouts.filter((r) => r.item === "marshmallow-code__marshmallow-1867").map((r) => r.sample),
      [0, 1, 2, 3, 4],
    );
  });

  it("that are broken cause no error", () =>
    fuzzAdapter(sweAgent, [
      { value: current, name: "org__repo-1.traj" },
      { value: old, name: "a__b-1.traj" },
      { value: { attempts: [old, old], info: {} }, name: "i.traj" },
    ]));

  it("that are broken versions of real ones cause no error", async function () {
    const folder = fixtureSet(this, "agent_sweagent_demos");
    const samples: FuzzSample[] = [];
    for (const name of (await readdir(folder)).filter((n) => /simple|eps/.test(n)))
      samples.push({ value: JSON.parse(await readFile(join(folder, name), "utf8")), name });
    await fuzzAdapter(sweAgent, samples);
  });
});
