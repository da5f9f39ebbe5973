import assert from "node:assert/strict";
import { encodeFile, encodeGlobals, encodeLine, encodeRewrites, encodeTerm } from "./encoding.ts";
import { Session, type Call, type EnvironmentSettings } from "./environment.ts";
import type { Item } from "./item.ts";
import { Memory } from "./memory.ts";
import { renderTurns } from "./render.ts";
import { parseItem } from "./repository.ts";

const item: Item = {
  id: "t-1",
  difficulty: 0.1,
  family: "sign",
  issue: {
    title: "left_quota: the result moves the wrong way",
    body: "Seen while working with tag_quota.",
    terms: ["left_quota", "tag_quota"],
  },
  files: [
    {
      name: "core.mini",
      text: "# quota: left of a and b\nfn left_quota(a, b)\n  let rest = a + b\n  return rest max 0",
    },
    {
      name: "text.mini",
      text: "# quota: tag of s and t\nfn tag_quota(s, t)\n  let part = upper s\n  return part ++ t",
    },
  ],
  fix: [{ file: "core.mini", line: 3, text: "  let rest = a - b" }],
  upstream: { commit: "abc1234", author: "Ada", message: "Repair left_quota" },
  visible: [
    ["left_quota", [5, 2], 3],
    ["tag_quota", ["x", "y"], "Xy"],
  ],
  hidden: [
    ["left_quota", [9, 4], 5],
    ["left_quota", [4, 9], 0],
    ["left_quota", [3, 0], 3],
    ["tag_quota", ["ab", "c"], "ABc"],
  ],
};

const search: Call = { tool: "search", query: "left_quota" };
const open: Call = { tool: "open", file: "core.mini" };
const tests: Call = { tool: "run_tests" };
const submit: Call = { tool: "submit" };
const history: Call = { tool: "history" };
const edit = (to: string): Call => ({
  tool: "edit",
  target: { file: "core.mini", line: 2, tokens: ["let", "rest", "=", "a", to, "b"] },
});

const hidden: EnvironmentSettings = { turnLimit: 12, history: "hidden" };

function play(calls: readonly Call[], settings = hidden): Session {
  const session = new Session(parseItem(item), settings);
  for (const call of calls) if (!session.isOver) session.step(call);
  return session;
}

describe("how a rollout is judged", () => {
  const check = (
    name: string,
    calls: readonly Call[],
    stop: string,
    components: Record<string, number>,
  ): void => {
    it(name, () => {
      const verdict = play(calls).judge();
      assert.equal(verdict.stop, stop);
      assert.equal(verdict.passed, stop === "success");
      for (const [key, value] of Object.entries(components))
        assert.equal(verdict.components[key], value, key);
    });
  };
  check("a repair that is submitted is a success", [search, open, edit("-"), tests, submit], "success", {
    correctness: 1,
    search_before_edit: 1,
    edit_then_test: 1,
    right_file: 1,
    efficiency: 0.2,
    iterative_debug: 1 / 12,
    visible_pass: 1,
  });
  check("a submit without an edit is abandoned", [submit], "abandon", {
    correctness: 0,
    efficiency: 1,
    edit_then_test: 0,
  });
  check("an edit that repairs nothing fails", [open, edit("*"), submit], "fail", {
    correctness: 0.25,
    search_before_edit: 0,
    edit_then_test: 0,
  });
  check(
    "a test before the last edit does not count as testing it",
    [open, edit("*"), tests, edit("-"), submit],
    "success",
    { edit_then_test: 0 },
  );
  check(
    "an edit without an open file fails and changes nothing",
    [{ tool: "edit", target: null }, submit],
    "abandon",
    { correctness: 0 },
  );
  check(
    "what is never submitted counts for nothing",
    [open, edit("-"), tests, open, tests, open, tests, open, tests, open, tests, open],
    "max_turns",
    { correctness: 0, submitted: 0 },
  );
  check(
    "ending in a streak of one tool is an echo trap",
    [open, edit("-"), ...Array.from({ length: 10 }, () => tests)],
    "echo_trap",
    { correctness: 0, iterative_debug: 10 / 12 },
  );
  check(
    "ending without an edit is idle",
    Array.from({ length: 12 }, (_, i) => (i % 2 === 0 ? search : open)),
    "idle",
    { correctness: 0 },
  );
});

describe("the history tool", () => {
  it("shows nothing when it is hidden", () => {
    const result = play([history]).exchanges[0]?.result;
    assert.deepEqual(result, { tool: "history", ok: false, why: "The repository history is not available." });
  });

  it("shows the upstream repair when it is visible", () => {
    const session = play([history, submit], { turnLimit: 12, history: "visible" });
    const turns = renderTurns(item, session.exchanges, []);
    assert.deepEqual(turns[1]?.args, { command: "git log -p -1" });
    assert.equal(
      turns[2]?.text,
      "commit abc1234\nAuthor: Ada\n\n    Repair left_quota\n\ndiff --git a/core.mini b/core.mini\n--- a/core.mini\n+++ b/core.mini\n@@ -3 +3 @@\n-  let rest = a + b\n+  let rest = a - b",
    );
  });
});

describe("the rollout as text", () => {
  it("reads like a session", () => {
    const session = play([search, open, edit("*"), tests, submit]);
    const text = renderTurns(item, session.exchanges, []).map((t) => `${t.role}: ${t.text}`);
    assert.deepEqual(text, [
      "user: Issue: left_quota: the result moves the wrong way\nSeen while working with tag_quota.\nFiles: core.mini, text.mini",
      'assistant: search "left_quota"',
      "tool: core.mini:2: fn left_quota(a, b)",
      "assistant: open core.mini",
      "tool:   1  # quota: left of a and b\n  2  fn left_quota(a, b)\n  3    let rest = a + b\n  4    return rest max 0",
      "assistant: edit core.mini:3  let rest = a * b",
      "tool: - let rest = a + b\n+ let rest = a * b",
      "assistant: run_tests",
      'tool: FAIL left_quota(5, 2): expected 3, got 10\nPASS tag_quota("x", "y")\n1 of 2 passed',
      "assistant: submit",
      "tool: Submitted.",
    ]);
  });
});

describe("another attempt at an edited line", () => {
  it("changes the original line, and can restore it", () => {
    const session = new Session(parseItem(item), hidden);
    const memory = new Memory(
      item,
      item.files.map((f) => f.name),
    );
    for (const call of [open, edit("*")]) memory.observe(call, session.step(call));
    const line = memory.lines.find((l) => l.index === 2);
    const texts = line?.candidates.map((c) => c.text.trim()) ?? [];
    assert.ok(texts.includes("let rest = a - b"));
    assert.ok(texts.includes("let rest = a + b"));
    assert.ok(!texts.includes("let rest = a * b"));
    assert.equal(new Set(texts).size, texts.length);
  });
});

describe("what the policy can see", () => {
  const encode = (source: Item, calls: readonly Call[]): unknown => {
    const session = new Session(parseItem(source), hidden);
    const memory = new Memory(
      source,
      source.files.map((f) => f.name),
    );
    for (const call of calls) memory.observe(call, session.step(call));
    return {
      globals: encodeGlobals(memory, 12),
      terms: memory.terms.map((t, i) => encodeTerm(memory, t, i)),
      files: memory.fileNames.map((f) => encodeFile(memory, f)),
      lines: memory.lines.map((l, i) => [encodeLine(memory, l, i), encodeRewrites(memory, l)]),
    };
  };
  const elsewhere: Item = {
    ...item,
    files: [...item.files].reverse().map((f, i) => ({ ...f, name: i === 0 ? "core.mini" : "text.mini" })),
    fix: [{ file: "text.mini", line: 3, text: "  let rest = a * b" }],
    hidden: [["left_quota", [1, 1], 1]],
  };
  const otherTests: Item = {
    ...item,
    visible: [["tag_quota", ["x", "y"], "Xy"]],
    hidden: elsewhere.hidden,
    fix: elsewhere.fix,
  };

  const same = (name: string, a: Item, b: Item, calls: readonly Call[]): void =>
    void it(name, () => assert.deepEqual(encode(a, calls), encode(b, calls)));
  const different = (name: string, a: Item, b: Item, calls: readonly Call[]): void =>
    void it(name, () => assert.notDeepEqual(encode(a, calls), encode(b, calls)));

  same("which file holds the function is unknown before a search", item, elsewhere, []);
  different("a search shows the file", item, elsewhere, [search]);
  same("what a file says is unknown before it is opened", item, elsewhere, [history]);
  different("opening a file shows its lines", item, elsewhere, [open]);
  same("tests and repair are unknown after search and open", item, otherTests, [search, open, edit("*")]);
  different("the visible tests show when they are run", item, otherTests, [search, open, tests]);
  same("a refused look at the history shows nothing", item, { ...item, fix: elsewhere.fix }, [history, open]);
});
