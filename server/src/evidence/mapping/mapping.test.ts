import assert from "node:assert/strict";
import { mappedFile } from "./mappedRecord.ts";
import { isMappedFile, readMapping, recordsOf } from "./readMapping.ts";
import { mapped, row, spec, type Fields } from "../../../../test/support/evidence/mapping.ts";

describe("mapped turns", () => {
  const call = (name: string, args: unknown) => ({ type: "function", function: { name, arguments: args } });
  const turnsOf = (messages: unknown, turns: Fields = {}) =>
    mapped({ turns: { from: "record.m", ...turns } }, { ...row, m: messages }).record.turns;

  it("are read from OpenAI messages: several calls in one message become several turns", () => {
    assert.deepEqual(
      turnsOf([
        { role: "user", content: "hi" },
        {
          role: "assistant",
          content: null,
          tool_calls: [call("ls", '{"path":"."}'), call("cat", "not json"), call("pwd", "")],
        },
        { role: "tool", content: [{ type: "text", text: "a" }, { type: "image_url", image_url: {} }, "b"] },
        { role: "assistant", content: "", tool_calls: [] },
        { role: "assistant" },
      ]),
      [
        { role: "user", text: "hi" },
        { role: "assistant", text: "", tool: "ls", args: { path: "." } },
        { role: "assistant", text: "", tool: "cat", args: { text: "not json" } },
        { role: "assistant", text: "", tool: "pwd" },
        { role: "tool", text: "a\n[image_url]\nb" },
        { role: "assistant", text: "" },
        { role: "assistant", text: "" },
      ],
    );
  });

  it("are read from Anthropic messages, old function calls, and calls as JSON text", () => {
    assert.deepEqual(
      turnsOf([
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: "hm" },
            { type: "tool_use", name: "run", input: { x: 1 } },
          ],
        },
        { role: "user", content: [{ type: "tool_result", content: [{ type: "text", text: "done" }] }] },
        { role: "assistant", content: "", function_call: { name: "f", arguments: "{}" } },
        { role: "assistant", content: "", tool_calls: ['{"name":"g","args":{"y":2}}'] },
      ]),
      [
        { role: "assistant", text: "hm", tool: "run", args: { x: 1 } },
        { role: "user", text: "done" },
        { role: "assistant", text: "", tool: "f", args: {} },
        { role: "assistant", text: "", tool: "g", args: { y: 2 } },
      ],
    );
  });

  it("are read from any other list by expressions over message, index and the record", () => {
    assert.deepEqual(
      turnsOf(
        [
          { who: "bot", said: "x", used: "ls", with: { p: 1 }, fine: true, n: 3, took: 1.5 },
          { who: "env", said: "y", used: null, fine: null },
        ],
        {
          role: "message.who",
          text: "string(index) + message.said + record.task",
          tool: "message.used",
          args: "message.?with",
          ok: "message.fine",
          tokens: "message.?n",
          ms: "message.?took",
        },
      ),
      [
        { role: "bot", text: "0xt-1", tool: "ls", args: { p: 1 }, ok: true, tokens: 3, ms: 1.5 },
        { role: "env", text: "1yt-1" },
      ],
    );
    assert.deepEqual(
      turnsOf([{ a: "ls" }], {
        role: "'assistant'",
        text: "''",
        calls: "[{'name': message.a, 'args': {'n': index}}]",
      }),
      [{ role: "assistant", text: "", tool: "ls", args: { n: 0 } }],
    );
  });

  it("keep a turn whose message has a problem, and report the problem", () => {
    const { record, problems } = mapped(
      { turns: { from: "record.m", tokens: "message.n" } },
      { ...row, m: [{ role: "user", content: "a", n: "3" }] },
    );
    assert.deepEqual(record.turns, [{ role: "user", text: "a" }]);
    assert.deepEqual(problems, ["turns.tokens: It must be a number, not a string; write double(..)."]);
  });

  it("are made of prompt and completion when there is no list", () => {
    const { record } = mapped({ prompt: "record.p", completion: "record.c" }, { ...row, p: "2+2?", c: "4" });
    assert.equal(record.prompt, "2+2?");
    assert.deepEqual(record.turns, [
      { role: "user", text: "2+2?" },
      { role: "assistant", text: "4" },
    ]);
  });
});

describe("a mapping file", () => {
  const head = "apiVersion: evotrainer/v1\nkind: Evidence\nname: a\n";
  const outcome = "outcome: { pass: record.ok, fail: '!record.ok' }";
  const problems = (text: string): readonly string[] => {
    const read = readMapping(text);
    return read.ok ? [] : read.problems;
  };

  it("is read, checked and compiled", () => {
    const read = readMapping(`${head}match: [a_*.jsonl]\nfields: { item: record.t, ${outcome} }\n`);
    assert.ok(read.ok);
    const { map: one, spec: found } = read.mapping;
    const result = one({ t: "x", ok: true }, mappedFile("a_1.jsonl"), 1);
    assert.ok(result.ok);
    assert.equal(result.record.outcome, "pass");
    assert.equal(found.records, "jsonl");
  });

  const wrong: readonly (readonly [string, readonly string[]])[] = [
    [`${head}fields: { ${outcome} }`, ["fields.item: Say what the task instance is: give item, or prompt."]],
    [
      `${head}fields: { item: record.t }`,
      ["fields.outcome: Invalid input: expected object, received undefined."],
    ],
    [
      `${head}fields: { prompt: record.p, completion: record.c, turns: { from: record.m }, ${outcome} }`,
      ["fields.completion: Give turns or completion, not both."],
    ],
    [
      `${head}fields: { item: rec.t, step: 'min(1, 2)', turns: { from: message.m, text: mesage.t }, ${outcome} }`,
      [
        "fields.item: Unknown variable: rec. Known here: record, file, line. (at rec)",
        "fields.turns.from: Unknown variable: message. Known here: record, file, line. (at message)",
        "fields.turns.text: Unknown variable: mesage. Known here: record, file, line, message, index. (at mesage)",
        "fields.step: There is no function min; write math.least(a, b).",
      ],
    ],
    ["a: [", ["Line 1: Flow sequence in block collection must be sufficiently indented and end with a ]."]],
    [`${head}fields: []`, ["fields: Invalid input: expected object, received array."]],
    ["", ["Invalid input: expected object, received null."]],
  ];
  for (const [text, expected] of wrong)
    it(JSON.stringify(text.replace(head, "")), () => assert.deepEqual(problems(text), expected));

  it("is not read if it is very long, or if its anchors would unfold without end", () => {
    assert.deepEqual(problems(`# ${"x".repeat(1_000_000)}`), [
      "This file is longer than 1,000,000 characters and is not read.",
    ]);
    const list = (i: number): string =>
      Array(10)
        .fill(i === 0 ? "x" : `*a${i - 1}`)
        .join(", ");
    const laughs = Array.from({ length: 10 }, (_, i) => `a${i}: &a${i} [${list(i)}]`).join("\n");
    assert.match(problems(laughs).join(), /Excessive alias count/);
  });

  it("says which file names it applies to", () => {
    const names = (match: string[], ...files: string[]) =>
      files.filter((file) => isMappedFile({ ...spec({}), match }, file));
    assert.deepEqual(
      names(
        ["rollouts_*.json"],
        "rollouts_1.json",
        "rollouts_.json",
        "x_rollouts_1.json",
        "rollouts_1.jsonl",
      ),
      ["rollouts_1.json", "rollouts_.json"],
    );
    assert.deepEqual(names(["a?b", "*"], "anything"), ["anything"]);
    assert.deepEqual(names(["a?b.*.c"], "axb.y.c", "ab.y.c", "axb.c"), ["axb.y.c"]);
    assert.deepEqual(names(["*a*a*a*a*a*a*a*a*b"], "a".repeat(5000)), []);
    assert.equal(isMappedFile(spec({}), "a.jsonl"), false);
  });

  it("cuts a JSON document into records", () => {
    const cut = (at: string | undefined, document: unknown) =>
      recordsOf({ ...spec({}), ...(at !== undefined && { at }) }, document);
    assert.deepEqual(cut(undefined, { a: 1 }), [{ a: 1 }]);
    assert.deepEqual(cut(undefined, [1, 2]), [1, 2]);
    assert.deepEqual(cut("a.b", { a: { b: [1] } }), [1]);
    assert.equal(cut("a.b", { a: { b: 1 } }), undefined);
    assert.equal(cut("toString", {}), undefined);
  });
});
