import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { allRollouts, importPaths } from "../../../../../test/support/evidence/import.ts";
import type { Store } from "../../archive/store.ts";
import { makeWorkspace, type Workspace } from "../../../../../test/support/evidence/evidence.ts";
import { openHandsConversation } from "./openHandsConversation.ts";
import { fuzzAdapter } from "../../../../../test/support/adapters/fuzzAdapter.ts";

const event = (id: string, second: number, fields: object): Record<string, unknown> => ({
  id,
  timestamp: `2026-06-16T05:39:1${second}.000000`,
  source: "agent",
  ...fields,
});
const events = [
  event("e0", 0, { kind: "SystemPromptEvent", system_prompt: { type: "text", text: "S" }, tools: [] }),
  event("e1", 1, {
    kind: "MessageEvent",
    source: "user",
    llm_message: { role: "user", content: [{ type: "text", text: "Do it." }] },
  }),
  event("e2", 2, {
    kind: "ActionEvent",
    thought: [],
    tool_name: "terminal",
    tool_call_id: "t1",
    tool_call: { name: "terminal", arguments: '{"command":"ls"}' },
  }),
  event("e3", 4, {
    kind: "ObservationEvent",
    source: "environment",
    action_id: "e2",
    tool_call_id: "t1",
    observation: { content: [{ type: "text", text: "a" }], is_error: true },
  }),
  event("e4", 5, {
    kind: "ActionEvent",
    thought: [{ type: "text", text: "Done." }],
    tool_name: "finish",
    tool_call_id: "t2",
    tool_call: { name: "finish", arguments: '{"message":"ok"}' },
  }),
];
const usage = (tokens: number): object => ({
  usage_to_metrics: {
    agent: { model_name: "m/1", accumulated_token_usage: { completion_tokens: tokens } },
    condenser: { model_name: "m/2", accumulated_token_usage: { completion_tokens: 999 } },
  },
});
const state = {
  id: "c0ffee00",
  agent: { llm: { model: "m/1" } },
  execution_status: "finished",
  stats: usage(7),
};
const update = (key: string, value: unknown): object =>
  event("u", 6, { kind: "ConversationStateUpdateEvent", source: "environment", key, value });

describe("OpenHands conversations", () => {
  let workspace: Workspace;
  let store: Store;
  beforeEach(async () => {
    workspace = await makeWorkspace();
    store = await workspace.open();
  });
  afterEach(() => workspace.remove());

  async function put(path: string, text: string): Promise<string> {
    const full = workspace.file(path);
    await mkdir(dirname(full), { recursive: true });
    await writeFile(full, text);
    return full;
  }
  async function keep(folder: string, kept: readonly object[], base?: object): Promise<void> {
    for (const [i, one] of kept.entries())
      await put(`${folder}/events/event-${String(i).padStart(5, "0")}-abcdef0${i}.json`, JSON.stringify(one));
    if (base !== undefined) await put(`${folder}/base_state.json`, JSON.stringify(base));
  }

  const turns = [
    { role: "system", text: "S" },
    { role: "user", text: "Do it." },
    { role: "assistant", text: "", tool: "terminal", args: { command: "ls" }, ok: false },
    { role: "tool", text: "a", ms: 2000 },
    { role: "assistant", text: "Done.", tool: "finish", args: { message: "ok" } },
  ];

  it("are read from a folder as one rollout, with its state", async () => {
    await keep("run1/c1", events, state);
    await keep("run1/c2", events, { ...state, id: "c2", execution_status: "running" });
    const { counts, skipped } = await importPaths(store, [workspace.file("run1")]);
    assert.deepEqual([counts.rollouts, counts.quarantined, skipped.unrecognisedCount], [2, 0, 0]);
    const [first, second] = await allRollouts(store);
    assert.ok(first !== undefined && second !== undefined);
    assert.deepEqual(first.turns, turns);
    assert.deepEqual(
      [
        first.run,
        first.id,
        first.stop_reason,
        first.tokens,
        first.policy,
        first.unknown_reason,
        first.duration_ms,
      ],
      ["run1", "c0ffee00", "finished", 7, "m/1", "a conversation is not evaluated", 5000],
    );
    assert.deepEqual(
      [second.item === first.item, second.sample, second.unknown_reason],
      [true, 1, "the conversation had not ended: running"],
    );
  });

  it("are read from events without a state, and from a log of events in one file", async () => {
    await keep("run2/c1", events);
    await put(
      "log.jsonl",
      [...events, update("stats", usage(5)), update("execution_status", "stuck")]
        .map((e) => `${JSON.stringify(e)}\n`)
        .join(""),
    );
    await importPaths(store, [workspace.file("run2"), workspace.file("log.jsonl")]);
    const [folder, log] = await allRollouts(store);
    assert.deepEqual([folder?.id, folder?.run, folder?.turns, folder?.tokens], ["c1", "run2", turns, null]);
    assert.deepEqual(
      [log?.run, log?.turns, log?.tokens, log?.policy, log?.stop_reason],
      ["log", turns, 5, "m/1", "stuck"],
    );
  });

  it("follow the branch on which the conversation ended", async () => {
    const [e0, e1, e2, e3, e4] = events;
    const tree = [
      e0,
      { ...e1, parent_id: "e0" },
      { ...e2, parent_id: "e1" },
      { ...e3, parent_id: "e2" },
      { ...e4, parent_id: "e1" },
    ];
    await keep("run3/c1", tree as object[], { ...state, leaf_event_id: "e4" });
    await importPaths(store, [workspace.file("run3")]);
    const [rollout] = await allRollouts(store);
    assert.deepEqual(
      [rollout?.turns.map((t) => t.tool ?? t.role), rollout?.extra],
      [["system", "user", "finish"], { events_of_other_branches: 2 }],
    );
  });

  const errors: [object, RegExp][] = [
    [{ code: "MaxIterationsReached", detail: "500" }, /^the run ended with: MaxIterationsReached: 500$/],
    [{ code: "Odd", classification: { kind: "agent_action" } }, /^the conversation ended with: Odd$/],
    [{ code: "LLMAuthenticationError", detail: "401" }, /^the run broke: LLMAuthenticationError: 401$/],
  ];
  for (const [error, reason] of errors)
    it(`give the reason of an error: ${reason.source}`, async () => {
      const ended = event("x", 6, { kind: "ConversationErrorEvent", source: "environment", ...error });
      await keep("run4/c1", [...events, ended], { ...state, execution_status: "error" });
      await importPaths(store, [workspace.file("run4")]);
      assert.match((await allRollouts(store))[0]?.unknown_reason ?? "", reason);
    });

  it("refuse a folder with a file that is not an event, and keep the other folders", async () => {
    await keep("run5/c1", events, state);
    await put("run5/c1/events/event-00005-abcdef05.json", "torn {");
    await keep("run5/c2", events, { ...state, id: "c2" });
    const { counts } = await importPaths(store, [workspace.file("run5")]);
    assert.deepEqual(
      [counts.rollouts, counts.refused.map((r) => r.reason)],
      [1, ["events/event-00005-abcdef05.json is not an event"]],
    );
  });

  it("with broken events cause no error", () =>
    fuzzAdapter(openHandsConversation, [
      { value: events[2], name: "event-00000-abcdef00.json" },
      { value: events[3], name: "event-00000-abcdef00.json" },
      { value: events[1], name: "log.jsonl" },
      { value: update("stats", usage(1)), name: "log.jsonl" },
    ]));
});
