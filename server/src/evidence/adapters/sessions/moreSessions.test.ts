import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { fuzzAdapter } from "../../../../../test/support/adapters/fuzzAdapter.ts";
import { makeWorkspace, type Workspace } from "../../../../../test/support/evidence/evidence.ts";
import { allRollouts, importPaths, traceFile } from "../../../../../test/support/evidence/import.ts";
import type { Store } from "../../archive/store.ts";
import { cline } from "./cline.ts";
import { geminiCli } from "./geminiCli.ts";
import { openCode } from "./openCode.ts";

const gemini = {
  sessionId: "g-1",
  projectHash: "abc",
  startTime: "2026-01-01T00:00:00.000Z",
  lastUpdated: "2026-01-01T00:00:09.000Z",
  messages: [
    { id: "1", timestamp: "2026-01-01T00:00:01.000Z", type: "user", content: [{ text: "List the files." }] },
    {
      ...{ id: "2", timestamp: "2026-01-01T00:00:03.000Z", type: "gemini", content: "I look." },
      thoughts: [{ subject: "Plan", description: "list them" }],
      tokens: { input: 10, output: 5, cached: 0, thoughts: 3, total: 18 },
      model: "gemini-x",
      toolCalls: [
        {
          ...{ id: "c", name: "list_directory", args: { path: "." }, status: "error" },
          result: [{ functionResponse: { id: "c", response: { error: "no such folder" } } }],
        },
      ],
    },
    { id: "3", timestamp: "2026-01-01T00:00:04.000Z", type: "info", content: "Request cancelled." },
  ],
};

const task = [
  { role: "user", content: [{ type: "text", text: "<task>Fix it</task>" }], ts: 1767225600000 },
  {
    ...{ role: "assistant", ts: 1767225602000 },
    content: [
      { type: "text", text: "I read." },
      { type: "tool_use", id: "t", name: "read_file", input: { path: "a" } },
    ],
  },
  { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: "gone", is_error: true }] },
];

const info = (role: string, more: object = {}): object => ({
  id: `m-${role}`,
  sessionID: "ses_1",
  role,
  ...more,
});
const session = {
  info: { id: "ses_1", title: "Fix", version: "1.2.5", time: { created: 1767225600000, updated: 0 } },
  messages: [
    {
      info: info("user", { time: { created: 1767225600000 } }),
      parts: [
        { type: "text", text: "Fix it" },
        { type: "file", url: "file:///a" },
      ],
    },
    {
      info: info("assistant", {
        ...{ modelID: "m-1", providerID: "p", finish: "stop" },
        ...{
          tokens: { input: 9, output: 4, reasoning: 2 },
          time: { created: 1767225601000, completed: 1767225604000 },
        },
      }),
      parts: [
        { type: "step-start" },
        { type: "reasoning", text: "hm" },
        { type: "text", text: "Done." },
        {
          ...{ type: "tool", callID: "c", tool: "bash" },
          state: {
            status: "completed",
            input: { command: "ls" },
            output: "a\n",
            time: { start: 10, end: 25 },
          },
        },
        { type: "tool", callID: "d", tool: "bash", state: { status: "running", input: { command: "top" } } },
      ],
    },
  ],
};

describe("sessions of further coding agents", () => {
  let workspace: Workspace;
  let store: Store;
  beforeEach(async () => {
    workspace = await makeWorkspace();
    store = await workspace.open();
  });
  afterEach(() => workspace.remove());

  const importJson = async (path: string, value: unknown): Promise<void> => {
    await mkdir(dirname(workspace.file(path)), { recursive: true });
    await writeFile(workspace.file(path), JSON.stringify(value, null, 2));
    const { counts } = await importPaths(store, [workspace.file(path)]);
    assert.deepEqual([counts.rollouts, counts.quarantined], [1, 0]);
  };
  const told = async (): Promise<unknown[]> =>
    (await allRollouts(store)).map((r) => [
      r.run,
      r.id,
      r.outcome,
      r.reward,
      r.policy,
      r.tokens,
      r.duration_ms,
    ]);

  it("of Gemini CLI keep thoughts, calls, their status and what they answered", async () => {
    await importJson("proj/chats/session-1.json", gemini);
    assert.deepEqual(await told(), [["proj", "g-1", "unknown", null, "gemini-x", 8, 4000]]);
    assert.deepEqual(
      (await allRollouts(store))[0]?.turns.map((t) => [t.role, t.text, t.tool, t.ok]),
      [
        ["user", "List the files.", undefined, undefined],
        ["assistant", "<think>\nPlan: list them\n</think>\n\nI look.", "list_directory", false],
        ["tool", "no such folder", undefined, undefined],
      ],
    );
  });

  it("of Cline are the messages of a task, named after its folder", async () => {
    await importJson("tasks/1767225600000/api_conversation_history.json", task);
    assert.deepEqual(await told(), [["tasks", "1767225600000", "unknown", null, null, null, 2000]]);
    assert.deepEqual(
      (await allRollouts(store))[0]?.turns.map((t) => [t.role, t.tool, t.ok]),
      [
        ["user", undefined, undefined],
        ["assistant", "read_file", false],
        ["tool", undefined, undefined],
      ],
    );
  });

  it("of newer Cline releases name the model and count its tokens, as a real one shows", async () => {
    const { counts } = await importPaths(store, [traceFile("cline")]);
    assert.deepEqual([counts.rollouts, counts.quarantined], [1, 0]);
    const [rollout] = await allRollouts(store);
    assert.deepEqual(
      [rollout?.id, rollout?.policy, rollout?.tokens, rollout?.duration_ms, rollout?.outcome],
      ["1784094124598_rruoq", "anthropic/claude-opus-4.8-fast", 300, 7370, "unknown"],
    );
    assert.deepEqual(
      rollout?.turns.map((t) => [t.role, t.tool]),
      [
        ["system", undefined],
        ["user", undefined],
        ["assistant", "editor"],
        ["tool", undefined],
        ["assistant", undefined],
      ],
    );
  });

  it("of Gemini CLI with calls of tools are read from a real one", async () => {
    const { counts } = await importPaths(store, [traceFile("gemini-cli")]);
    assert.deepEqual([counts.rollouts, counts.quarantined], [1, 0]);
    const [rollout] = await allRollouts(store);
    assert.deepEqual(
      [rollout?.policy, rollout?.tokens, rollout?.outcome],
      ["gemini-2.5-pro", 563, "unknown"],
    );
    assert.deepEqual(
      rollout?.turns.map((t) => t.tool ?? t.role),
      ["user", "read_file", "tool", "replace", "tool", "read_file", "tool", "assistant"],
    );
  });

  it("of opencode keep parts in order; a call that was cut short has no answer and no result", async () => {
    await importJson("exports/ses_1.json", session);
    assert.deepEqual(await told(), [["exports", "ses_1", "unknown", null, "m-1", 6, 4000]]);
    const [rollout] = await allRollouts(store);
    assert.equal(rollout?.stop_reason, "stop");
    assert.deepEqual(
      rollout.turns.map((t) => [t.role, t.text, t.tool, t.ok, t.ms]),
      [
        ["user", "Fix it", undefined, undefined, undefined],
        ["assistant", "<think>\nhm\n</think>\n\nDone.", "bash", true, undefined],
        ["assistant", "", "bash", undefined, undefined],
        ["tool", "a\n", undefined, undefined, 15],
      ],
    );
  });

  it("of Aider are read from a real history: a chat in which nothing was asked is none", async () => {
    const { counts } = await importPaths(store, [traceFile("aider")]);
    assert.deepEqual([counts.rollouts, counts.quarantined], [1, 0]);
    const [chat] = await allRollouts(store);
    assert.deepEqual(
      [chat?.run, chat?.id, chat?.outcome, chat?.policy, chat?.started_at],
      ["aider", "2024-08-05T20:39:59", "unknown", "gpt-4o-mini", "2024-08-05T20:39:59Z"],
    );
    assert.deepEqual(
      chat?.turns.map(({ role, text }) => [role, text.split("\n")[0]?.slice(0, 30)]),
      [
        ["user", "hi"],
        ["assistant", "It seems like you want to chan"],
        ["tool", "Tokens: 12,566 sent, 84 receiv"],
        ["user", "hi"],
        ["tool", "^C KeyboardInterrupt"],
      ],
    );
  });

  it("with broken values cause no error", async () => {
    await fuzzAdapter(geminiCli, [{ value: gemini, name: "session-1.json" }], 100);
    await fuzzAdapter(openCode, [{ value: session, name: "s.json" }], 100);
    await fuzzAdapter(cline, [{ value: task, name: "api_conversation_history.json" }], 100);
  });
});
