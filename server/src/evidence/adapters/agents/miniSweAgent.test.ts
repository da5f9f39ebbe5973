import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { allRollouts, fixtureSet, importPaths, tally } from "../../../../../test/support/evidence/import.ts";
import type { Store } from "../../archive/store.ts";
import { makeWorkspace, type Workspace } from "../../../../../test/support/evidence/evidence.ts";
import { miniSweAgent } from "./miniSweAgent.ts";
import { fuzzAdapter } from "../../../../../test/support/adapters/fuzzAdapter.ts";

const answer = (time: number, id: string, command: string): object => ({
  role: "assistant",
  content: "Look.",
  reasoning_content: "Hm.",
  tool_calls: [{ id, type: "function", function: { name: "bash", arguments: JSON.stringify({ command }) } }],
  extra: {
    actions: [{ command, tool_call_id: id }],
    response: { created: 1_776_000_000, usage: { completion_tokens: 5 } },
    timestamp: time,
  },
});
const reply = (time: number, id: string, returncode: number): object => ({
  role: "tool",
  content: `<returncode>${returncode}</returncode>\n<output>\nx\n</output>`,
  tool_call_id: id,
  extra: { raw_output: "x", returncode, timestamp: time, exception_info: "" },
});

/** As version 2 writes it. */
const current = {
  info: {
    model_stats: { instance_cost: 0.5, api_calls: 2 },
    config: { agent: { system_template: "S", step_limit: 250 }, model: { model_name: "m/1" } },
    mini_version: "2.2.7",
    exit_status: "Submitted",
    submission: "diff",
  },
  messages: [
    { role: "system", content: "S" },
    { role: "user", content: "U" },
    answer(1_776_000_002, "c1", "ls"),
    reply(1_776_000_003, "c1", 0),
    answer(1_776_000_005, "c2", "grep x"),
    reply(1_776_000_005.5, "c2", 1),
    { role: "exit", content: "diff", extra: { exit_status: "Submitted", submission: "diff" } },
  ],
  trajectory_format: "mini-swe-agent-1.1",
  instance_id: "org__repo-1",
};
const withInfo = (changes: object): object => ({ ...current, info: { ...current.info, ...changes } });

/** As version 0 and 1 talk: a code block, and the shell's answer as a message of the user. */
const bare = [
  { role: "system", content: "S" },
  { role: "user", content: "Example:\n```bash\nls\n```" },
  { role: "assistant", content: "Look:\n\n```mswea_bash_command\nls -l\n```" },
  { role: "user", content: "<returncode>2</returncode>\n<output>\nno\n</output>" },
  { role: "assistant", content: "Two:\n```bash\na\n```\n```bash\nb\n```" },
  { role: "user", content: "Please give exactly one action." },
];

describe("mini-swe-agent trajectories", () => {
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

  it("of version 2 are read with calls, return codes, times and tokens", async () => {
    await put("run/org__repo-1/org__repo-1.traj.json", current);
    await put("run/preds.json", { "org__repo-1": { instance_id: "org__repo-1", model_patch: "diff" } });
    const { skipped } = await importPaths(store, [workspace.file("run")]);
    assert.equal(skipped.unrecognisedCount, 0);
    const [rollout] = await allRollouts(store);
    assert.ok(rollout !== undefined);
    assert.deepEqual(
      [rollout.run, rollout.id, rollout.item, rollout.outcome, rollout.unknown_reason, rollout.stop_reason],
      [
        "run",
        "org__repo-1",
        "org__repo-1",
        "unknown",
        "no report inside the run's folder names its instance",
        "Submitted",
      ],
    );
    assert.deepEqual(
      [rollout.policy, rollout.harness, rollout.tokens, rollout.started_at, rollout.duration_ms],
      ["m/1", "2.2.7", 10, "2026-04-12T13:20:00.000Z", 5500],
    );
    const text = "<think>\nHm.\n</think>\n\nLook.";
    assert.deepEqual(rollout.turns, [
      { role: "system", text: "S" },
      { role: "user", text: "U" },
      { role: "assistant", text, tool: "bash", args: { command: "ls" }, ok: true, tokens: 5 },
      { role: "tool", text: "<returncode>0</returncode>\n<output>\nx\n</output>", ms: 1000 },
      { role: "assistant", text, tool: "bash", args: { command: "grep x" }, ok: false, tokens: 5, ms: 2000 },
      { role: "tool", text: "<returncode>1</returncode>\n<output>\nx\n</output>", ms: 500 },
    ]);
    assert.deepEqual(rollout.extra, {
      model_stats: { instance_cost: 0.5, api_calls: 2 },
      submission: "diff",
      limits: { step_limit: 250 },
    });
  });

  it("may be a bare list of messages, in which one code block is a call and two are none", async () => {
    await importPaths(store, [await put("old/github.traj.json", bare)]);
    const [rollout] = await allRollouts(store);
    assert.deepEqual(
      [rollout?.run, rollout?.item, rollout?.unknown_reason],
      ["old", "github", "a bare list of messages does not say how it ended"],
    );
    assert.deepEqual(
      rollout?.turns.map((t) => [t.role, t.tool, t.args?.["command"], t.ok]),
      [
        ["system", undefined, undefined, undefined],
        ["user", undefined, undefined, undefined],
        ["assistant", "bash", "ls -l", false],
        ["tool", undefined, undefined, undefined],
        ["assistant", undefined, undefined, undefined],
        ["user", undefined, undefined, undefined],
      ],
    );
  });

  it("of version 1 are read under any name: code blocks with usage, no times, an empty last answer", async () => {
    const said = (content: string): object => ({
      role: "assistant",
      content,
      extra: { response: { created: 1_760_078_127, usage: { completion_tokens: 4 } } },
    });
    const document = {
      ...withInfo({ mini_version: "1.13.4", submission: "" }),
      trajectory_format: "mini-swe-agent-1",
      messages: [
        ...bare.slice(0, 2),
        said("```bash\nls\n```"),
        bare[3],
        said("```bash\necho DONE\n```"),
        { role: "user", content: "" },
      ],
    };
    await importPaths(store, [await put("old/run.json", document)]);
    const [rollout] = await allRollouts(store);
    assert.deepEqual(
      [rollout?.id, rollout?.tokens, rollout?.started_at, rollout?.duration_ms],
      ["run", 8, "2025-10-10T06:35:27.000Z", null],
    );
    assert.deepEqual(
      rollout?.turns.slice(2).map((t) => [t.role, t.tool, t.ok]),
      [
        ["assistant", "bash", false],
        ["tool", undefined, undefined],
        ["assistant", "bash", undefined],
        ["tool", undefined, undefined],
      ],
    );
  });

  const exits: [string | null, object, RegExp][] = [
    ["Submitted", {}, /^no report/],
    ["LimitsExceeded", {}, /^no report/],
    ["RepeatedFormatError", {}, /^no report/],
    ["ContextWindowExceededError", { traceback: "T" }, /^no report/],
    ["Timeout", { traceback: "T", exception_str: "600 s" }, /^the run broke with Timeout: 600 s$/],
    ["InternalServerError", {}, /^the run broke with InternalServerError$/],
    ["OddlyNamedThing", { traceback: "T" }, /^the run broke with OddlyNamedThing$/],
    ["Vanished", {}, /^exit_status is Vanished, which is not a known way to end$/],
    ["", {}, /^there is no exit_status/],
    [null, {}, /^there is no exit_status/],
  ];
  for (const [status, info, reason] of exits)
    it(`give a reason for exit status ${JSON.stringify(status)}: ${reason.source}`, async () => {
      await importPaths(store, [await put("run/i.traj.json", withInfo({ exit_status: status, ...info }))], {
        passWhen: "false",
      });
      const [rollout] = await allRollouts(store);
      // What has no verdict is the user's to decide; what broke is not.
      if (reason.source.startsWith("^no report")) assert.equal(rollout?.outcome, "fail");
      else {
        assert.equal(rollout?.outcome, "unknown");
        assert.match(rollout.unknown_reason ?? "", reason);
      }
    });

  it("take the verdict from a SWE-bench report in the run's folder", async () => {
    await put("run/a/a.traj.json", { ...current, instance_id: "a" });
    await put("run/b/b.traj.json", { ...withInfo({ exit_status: "Timeout" }), instance_id: "b" });
    await put("run/m__1.run.json", {
      resolved_ids: ["a"],
      unresolved_ids: [],
      empty_patch_ids: ["b"],
      error_ids: [],
    });
    await put("resolved.json", { resolved_ids: ["b"] });
    await importPaths(store, [workspace.file("run")]);
    assert.deepEqual(
      (await allRollouts(store)).map((r) => [r.item, r.outcome, r.unknown_reason]),
      [
        ["a", "pass", undefined],
        ["b", "unknown", "the run broke with Timeout"],
      ],
    );
  });

  it("are read from the real files", async function () {
    const { counts, skipped } = await importPaths(store, [fixtureSet(this, "agent_mini_swe_agent")]);
    assert.deepEqual([counts.rollouts, counts.quarantined, skipped.unrecognisedCount], [23, 0, 4]);
    assert.deepEqual(await tally(store, "run"), {
      agent_mini_swe_agent: 2,
      deepseek_chat_dev: 3,
      deepseek_chat_dev_rerun: 3,
      "deepseek_chat_test_1-100": 4,
      deepseek_lite_dev: 3,
      deepseek_reasoner_dev: 8,
    });
    assert.deepEqual(await tally(store, "stop_reason"), {
      InternalServerError: 4,
      Submitted: 13,
      Timeout: 4,
      null: 2,
    });
    const rollouts = await allRollouts(store);
    const broken = rollouts.filter((r) => r.unknown_reason?.startsWith("the run broke with"));
    assert.equal(broken.length, 8);
    assert.ok(broken.every((r) => r.run === "deepseek_reasoner_dev" && r.outcome === "unknown"));
    assert.equal(rollouts.filter((r) => r.unknown_reason?.startsWith("no report")).length, 13);
    const calls = rollouts.flatMap((r) => r.turns).filter((t) => t.tool === "bash");
    assert.deepEqual([calls.length, calls.filter((t) => t.ok === undefined).length], [675, 15]);
  });

  it("that are broken cause no error", () =>
    fuzzAdapter(miniSweAgent, [
      { value: current, name: "org__repo-1.traj.json" },
      { value: withInfo({ exit_status: "Timeout" }), name: "a.traj.json" },
      { value: bare, name: "b.traj.json" },
    ]));

  it("that are broken versions of real ones cause no error", async function () {
    const folder = fixtureSet(this, "agent_mini_swe_agent");
    const name = "pylint-dev__astroid-1333";
    const text = await readFile(join(folder, "deepseek_reasoner_dev", name, `${name}.traj.json`), "utf8");
    await fuzzAdapter(miniSweAgent, [{ value: JSON.parse(text), name: "r.traj.json" }]);
  });
});
