import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { fuzzAdapter } from "../../../../../test/support/adapters/fuzzAdapter.ts";
import { makeWorkspace, type Workspace } from "../../../../../test/support/evidence/evidence.ts";
import { allRollouts, importPaths, traceFile } from "../../../../../test/support/evidence/import.ts";
import type { Store } from "../../archive/store.ts";
import { claudeCode } from "./claudeCode.ts";
import { actionOf, commandOf } from "../../contract/actions.ts";
import { responseTurns } from "../chat/responses.ts";
import { codex } from "./codex.ts";

const codexFile = "codex/rollout-2025-09-25T15-12-14-019982b8-3422-79e0-8b3b-05abaf4f3c3e.jsonl";

const line = (
  uuid: string,
  parentUuid: string | null,
  type: string,
  content: unknown,
  more = {},
): object => ({
  type,
  uuid,
  parentUuid,
  sessionId: "s1",
  isSidechain: false,
  timestamp: `2026-01-01T00:00:0${uuid.length}.000Z`,
  message: { role: type, content, ...(type === "assistant" ? { id: `m-${uuid}`, model: "claude-x" } : {}) },
  ...more,
});

describe("sessions of coding agents", () => {
  let workspace: Workspace;
  let store: Store;
  beforeEach(async () => {
    workspace = await makeWorkspace();
    store = await workspace.open();
  });
  afterEach(() => workspace.remove());

  async function put(path: string, lines: readonly object[], end = ""): Promise<string> {
    const full = workspace.file(path);
    await mkdir(dirname(full), { recursive: true });
    await writeFile(full, lines.map((l) => `${JSON.stringify(l)}\n`).join("") + end);
    return full;
  }

  it("of Claude Code are read from a real file: two calls of one message, each with its answer", async () => {
    await importPaths(store, [traceFile("claude-code")]);
    const [session, ...more] = await allRollouts(store);
    assert.ok(session !== undefined && more.length === 0);
    assert.deepEqual(
      session.turns.map((t) => [t.role, t.tool, t.ok, t.text.trim().slice(0, 30)]),
      [
        ["user", undefined, undefined, "Caveat: The messages below wer"],
        ["user", undefined, undefined, "<command-name>/clear</command-"],
        ["user", undefined, undefined, "<local-command-stdout></local-"],
        ["user", undefined, undefined, "please move the + button to it"],
        ["assistant", "Read", true, "I'll help you move the \"New Se"],
        ["assistant", "Read", true, ""],
        ["tool", undefined, undefined, '1→"use client";\n     2→\n     3'],
        ["tool", undefined, undefined, "1→import { useNavigate } from "],
        ["user", undefined, undefined, "[Request interrupted by user]"],
        ["user", undefined, undefined, "not the new session button. th"],
      ],
    );
    assert.deepEqual(
      [session.run, session.id, session.outcome, session.policy, session.tokens, session.extra["version"]],
      [
        "claude-code",
        "8a2518dd-ff41-4d5f-83a1-407b03598cc6",
        "unknown",
        "claude-sonnet-4-5-20250929",
        7,
        "2.0.26",
      ],
    );
  });

  it("of Claude Code keep agents apart, leave abandoned requests out and say what is said once", async () => {
    const tool = { type: "tool_use", id: "t1", name: "Task", input: { prompt: "Look." } };
    const result = { type: "tool_result", tool_use_id: "t1", content: "Found.", is_error: true };
    const side = { isSidechain: true };
    const session = [
      line("a", null, "user", "First wording"),
      line("b", "a", "assistant", [{ type: "text", text: "Hm." }]),
      line("cc", "b", "user", "Abandoned"),
      line("ccc", "cc", "assistant", [{ type: "text", text: "Lost" }]),
      line("dd", "b", "user", "Better"),
      line("ddd", "dd", "assistant", [{ type: "text", text: "Yes." }, tool]),
      line("x", null, "user", "Look.", side),
      line("xx", "x", "assistant", [{ type: "text", text: "Seen." }], side),
      line("eeee", "ddd", "user", [result]),
      line("eeee", "ddd", "user", [result]),
    ];
    await put("project/s1.jsonl", session);
    await put("project/s1/subagents/agent-7.jsonl", [
      line("y", null, "user", "Own file", { ...side, agentId: "7" }),
    ]);
    const { counts } = await importPaths(store, [workspace.file("project")]);
    assert.deepEqual([counts.rollouts, counts.quarantined], [3, 0]);
    const rollouts = await allRollouts(store);
    const of = (id: string): unknown => rollouts.find((r) => r.id === id)?.turns.map((t) => t.text);
    assert.deepEqual(of("s1"), ["First wording", "Hm.", "Better", "Yes.", "Found."]);
    assert.deepEqual([of("s1/x"), of("s1/7")], [["Look.", "Seen."], ["Own file"]]);
    assert.deepEqual(
      [rollouts.find((r) => r.id === "s1")?.turns[3]?.ok, new Set(rollouts.map((r) => r.run))],
      [false, new Set(["project"])],
    );
  });

  it("of Codex are read from a real file: calls with their exit codes, and the tokens of the whole session", async () => {
    await importPaths(store, [traceFile("codex")]);
    const [session] = await allRollouts(store);
    assert.ok(session !== undefined);
    assert.deepEqual(
      session.turns.map((t) => [t.role, t.tool, t.ok]),
      [
        ["user", undefined, undefined],
        ["user", undefined, undefined],
        ...[1, 2, 3, 4].flatMap(() => [
          ["assistant", "shell", true],
          ["tool", undefined, undefined],
        ]),
        ["assistant", undefined, undefined],
      ],
    );
    assert.match(session.turns[3]?.text ?? "", /^CLAUDE\.md\nREADME\.md\napps\n/);
    assert.deepEqual(session.turns[2]?.args, {
      command: ["bash", "-lc", "ls"],
      workdir: ".",
      timeout_ms: 120000,
    });
    assert.deepEqual(
      session.turns.slice(2, 3).map((turn) => [commandOf(turn), actionOf(turn)]),
      [["ls", "search"]],
    );
    assert.deepEqual(
      [session.id, session.outcome, session.policy, session.tokens, session.reward],
      ["019982b8-3422-79e0-8b3b-05abaf4f3c3e", "unknown", "gpt-5-codex", 6654, null],
    );
  });

  it("of Codex say what its built-in shell ran", () => {
    const action = { type: "exec", command: ["bash", "-lc", "pytest -q"], timeout_ms: 1 };
    const [turn] = responseTurns([{ type: "local_shell_call", call_id: "c", status: "completed", action }]);
    assert.ok(turn !== undefined);
    assert.deepEqual([turn.tool, commandOf(turn), actionOf(turn)], ["local_shell", "pytest -q", "test"]);
  });

  it("that are cut lose the cut line only", async () => {
    for (const [name, source] of [
      ["codex.jsonl", codexFile],
      ["claude.jsonl", "claude-code/interrupted.jsonl"],
    ] as const) {
      const text = await readFile(traceFile(source), "utf8");
      const lines = text.split("\n");
      lines[5] = lines[5]?.slice(0, 40) ?? "";
      await writeFile(workspace.file(name), lines.join("\n"));
      const { counts } = await importPaths(store, [workspace.file(name)]);
      assert.deepEqual([counts.rollouts, counts.problems.map((p) => p.line)], [1, [6]]);
    }
    assert.deepEqual(
      (await allRollouts(store)).map((r) => r.turns.length),
      [11, 9],
    );
  });

  it("with broken lines cause no error", async () => {
    const claude = line("a", null, "assistant", [{ type: "tool_use", id: "t", name: "Read", input: {} }]);
    const [meta = ""] = (await readFile(traceFile(codexFile), "utf8")).split("\n");
    await fuzzAdapter(claudeCode, [{ value: claude, name: "s.jsonl" }], 100);
    await fuzzAdapter(codex, [{ value: JSON.parse(meta), name: "rollout-1.jsonl" }], 100);
  });
});
