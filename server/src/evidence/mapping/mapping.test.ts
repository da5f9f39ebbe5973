import assert from "node:assert/strict";
import { EvidenceMapping } from "../../../../shared/spec/evidenceMapping.ts";
import { compileMapping } from "./compileMapping.ts";
import { mappedFile, type MappedRecord, type MappedResult } from "./mappedRecord.ts";
import { isMappedFile, readMapping, recordsOf } from "./readMapping.ts";

type Fields = Readonly<Record<string, unknown>>;

const decided = { outcome: { pass: "record.score >= 1", fail: "record.score < 1" } };

function spec(fields: Fields): EvidenceMapping {
  return EvidenceMapping.parse({
    apiVersion: "evotrainer/v1",
    kind: "Evidence",
    name: "test",
    fields: { item: "record.task", ...decided, ...fields },
  });
}

function map(fields: Fields, record: unknown, path = "runs/a/step_0040.jsonl"): MappedResult {
  const compiled = compileMapping(spec(fields));
  assert.ok(compiled.ok, JSON.stringify(compiled));
  return compiled.map(record, mappedFile(path), 7);
}

const row = { task: "t-1", score: 1 };

function mapped(fields: Fields, record: unknown = row): { record: MappedRecord; problems: string[] } {
  const result = map(fields, record);
  assert.ok(result.ok, JSON.stringify(result));
  return {
    record: result.record,
    problems: result.problems.map(({ field, message }) => `${field}: ${message}`),
  };
}

describe("a mapped record", () => {
  it("has null for what the mapping leaves out", () => {
    assert.deepEqual(mapped({}), {
      record: {
        id: null,
        item: "t-1",
        prompt: null,
        outcome: "pass",
        unknown_reason: null,
        turns: [],
        group: null,
        sample: null,
        step: null,
        split: null,
        reward: null,
        components: null,
        stop_reason: null,
        tokens: null,
        logprob_mean: null,
        policy: null,
        harness: null,
        seed: null,
        started_at: null,
        duration_ms: null,
        extra: {},
      },
      problems: [],
    });
  });

  it("says which fields no record can have", () => {
    const compiled = compileMapping(
      spec({ turns: { from: "record.m" }, reward: "record.score", components: {} }),
    );
    assert.ok(compiled.ok);
    assert.deepEqual(compiled.missing, [
      "duration_ms",
      "group",
      "harness",
      "logprob_mean",
      "policy",
      "sample",
      "seed",
      "split",
      "started_at",
      "step",
      "stop_reason",
      "tokens",
    ]);
  });

  const fields: readonly (readonly [
    name: string,
    expression: string,
    record: unknown,
    value: unknown,
    problem?: string,
  ])[] = [
    ["reward", "record.score", { score: 1 }, 1],
    ["reward", "record.r", { r: null }, null],
    ["reward", "record.?reward", {}, null],
    ["reward", "record.reward", {}, null, "There is no reward here."],
    [
      "reward",
      "record.reward",
      { reward: "0.5" },
      null,
      "It must be a number, not a string; write double(..).",
    ],
    [
      "reward",
      "record.reward",
      { reward: true },
      null,
      "It must be a number, not true or false; write x ? 1.0 : 0.0.",
    ],
    ["reward", "double(record.reward)", { reward: "0.5" }, 0.5],
    ["reward", "1.0 / record.zero", { zero: 0 }, null, "It must be a finite number, not Infinity."],
    ["step", "file.step", {}, 40],
    ["step", "line * 2", {}, 14],
    ["step", "record.step", { step: 1.5 }, null, "It must be a whole number, not 1.5."],
    ["step", "record.step", { step: -1 }, null, "It must be 0 or more, not -1."],
    ["seed", "record.seed", { seed: -1 }, -1],
    ["tokens", "size(record.ids)", { ids: [1, 2] }, 2],
    ["group", "string(record.n) + '/' + file.folder", { n: 3 }, "3/runs/a"],
    ["group", "record.n", { n: 3 }, null, "It must be text, not a number; write string(..)."],
    ["group", "record.n", { n: "" }, null, "It must not be an empty text."],
    ["split", "record.s", { s: "audit" }, "audit"],
    ["split", "record.s", { s: "test" }, null, "It must be train, selection or audit."],
    ["policy", "file.name + file.stem", {}, "step_0040.jsonlstep_0040"],
    ["started_at", "record.t", { t: "2026-01-31T09:00:00+01:00" }, "2026-01-31T09:00:00+01:00"],
    ["started_at", "record.t", { t: "yesterday" }, null, "It must be a time in ISO 8601."],
    [
      "started_at",
      "record.t",
      { t: 1769850000 },
      null,
      "It must be a time, not a number; write timestamp(..).",
    ],
    ["started_at", "timestamp(record.t)", { t: 1769850000 }, "2026-01-31T09:00:00Z"],
    ["duration_ms", "timestamp(record.b) - timestamp(record.a)", { a: 1, b: 2.5 }, 1500],
    ["duration_ms", "record.ms", { ms: -1 }, null, "It must be 0 or more, not -1."],
  ];
  for (const [name, expression, extra, value, problem] of fields)
    it(`${name}: ${expression} of ${JSON.stringify(extra)}`, () => {
      const { record, problems } = mapped({ [name]: expression }, { ...row, ...(extra as object) });
      assert.deepEqual(Object.entries(record).find(([field]) => field === name)?.[1], value);
      assert.deepEqual(problems, problem === undefined ? [] : [`${name}: ${problem}`]);
    });

  it("keeps the components and extras that the record has", () => {
    const { record, problems } = mapped(
      {
        components: { a: "record.a", b: "record.?b", c: "record.c", d: "record.d" },
        extra: { big: "9007199254740993", map: "{'x': [record.a, 1u]}", none: "record.?b", all: "record" },
      },
      { ...row, a: 0.5, c: "1" },
    );
    assert.deepEqual(record.components, { a: 0.5 });
    assert.deepEqual(record.extra, {
      big: "9007199254740993",
      map: { x: [0.5, 1] },
      all: { ...row, a: 0.5, c: "1" },
    });
    assert.deepEqual(problems, [
      "components.c: It must be a number, not a string; write double(..).",
      "components.d: There is no d here.",
    ]);
  });

  it("is refused when what names it cannot be formed", () => {
    const cases: readonly (readonly [Fields, unknown, string])[] = [
      [
        { item: "record.nr" },
        { ...row, nr: 5 },
        "The record has no item. item (record.nr): It must be text, not a number; write string(..).",
      ],
      [{ id: "record.nr" }, row, "The record has no id. id (record.nr): There is no nr here."],
      [
        { turns: { from: "record.m" } },
        { ...row, m: "x" },
        "The record has no turns. turns.from (record.m): It must be a list, not a string.",
      ],
      [
        { turns: { from: "record.m" } },
        { ...row, m: [{ role: "user", content: 5 }] },
        "Turn 0 has no text. turns.text (text(message.?content)): text needs a text or a list of content parts, not a number.",
      ],
      [
        { prompt: "record.p", completion: "record.c" },
        { ...row, p: "a" },
        "The record has no completion. completion (record.c): There is no c here.",
      ],
      [{}, 5, "The record has no item. item (record.task): task was looked for in a number."],
    ];
    for (const [given, record, reason] of cases) {
      const result = map(given, record);
      assert.ok(!result.ok);
      assert.equal(result.reason, reason);
    }
  });
});

describe("a mapped outcome", () => {
  const cases: readonly (readonly [Fields, unknown, string, string | null])[] = [
    [{ pass: "record.ok == true", fail: "record.ok == false" }, { ok: true }, "pass", null],
    [{ pass: "record.ok == true", fail: "record.ok == false" }, { ok: false }, "fail", null],
    [
      { pass: "record.ok == true", fail: "record.ok == false" },
      { ok: null },
      "unknown",
      "The record is neither pass nor fail.",
    ],
    [
      { pass: "record.ok == true", fail: "record.ok == false" },
      {},
      "unknown",
      "outcome.pass could not be decided: There is no ok here.",
    ],
    [
      { pass: "record.s >= 1", fail: "!(record.s >= 1)" },
      { s: "1" },
      "unknown",
      "outcome.pass could not be decided: There is no order between a string and an int.",
    ],
    [
      { pass: "true", fail: "record.s" },
      { s: 0 },
      "unknown",
      "outcome.fail could not be decided: It must be true or false, not a number.",
    ],
    [{ pass: "true", fail: "true" }, {}, "unknown", "The record is both pass and fail."],
    [{ unknown: "record.?error", pass: "true", fail: "false" }, { error: "timeout" }, "unknown", "timeout"],
    [{ unknown: "record.?error", pass: "true", fail: "false" }, { error: null }, "pass", null],
    [{ unknown: "record.?error", pass: "true", fail: "false" }, {}, "pass", null],
    [{ unknown: "record.crashed", pass: "true", fail: "false" }, { crashed: false }, "pass", null],
    [
      { unknown: "record.crashed", pass: "true", fail: "false" },
      { crashed: true, why: "oom" },
      "unknown",
      "oom",
    ],
    [
      { unknown: "record.crashed", pass: "true", fail: "false" },
      { crashed: true },
      "unknown",
      "The mapping says that the outcome is unknown.",
    ],
    [
      { unknown: "record.crashed", pass: "true", fail: "false" },
      {},
      "unknown",
      "outcome.unknown could not be decided: There is no crashed here.",
    ],
    [
      { unknown: "record.crashed", pass: "true", fail: "false" },
      { crashed: 1 },
      "unknown",
      "outcome.unknown could not be decided: It must be true or false, not a number.",
    ],
  ];
  for (const [outcome, record, wanted, reason] of cases)
    it(`${JSON.stringify(outcome)} of ${JSON.stringify(record)}`, () => {
      const found = mapped({ item: "'i'", outcome, unknown_reason: "record.?why" }, record).record;
      assert.deepEqual([found.outcome, found.unknown_reason], [wanted, reason]);
    });
});

describe("mapped turns", () => {
  const call = (name: string, args: unknown) => ({ type: "function", function: { name, arguments: args } });
  const turnsOf = (messages: unknown, turns: Fields = {}) =>
    mapped({ turns: { from: "record.m", ...turns } }, { ...row, m: messages }).record.turns;

  it("read messages of OpenAI: several calls of one message are several turns", () => {
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

  it("read messages of Anthropic, old function calls, and calls as JSON text", () => {
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

  it("read any other list by expressions over message, index and the record", () => {
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

  it("count a problem of a message that leaves the turn whole", () => {
    const { record, problems } = mapped(
      { turns: { from: "record.m", tokens: "message.n" } },
      { ...row, m: [{ role: "user", content: "a", n: "3" }] },
    );
    assert.deepEqual(record.turns, [{ role: "user", text: "a" }]);
    assert.deepEqual(problems, ["turns.tokens: It must be a number, not a string; write double(..)."]);
  });

  it("are made of prompt and completion where there is no list", () => {
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

  it("says for which names it is", () => {
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

describe("mappedFile", () => {
  const cases: readonly (readonly [string, string, string, number | null])[] = [
    ["run/rollouts/40.jsonl", "run/rollouts", "40", 40],
    ["step_0012.json", "", "step_0012", 12],
    ["a\\train-step7.jsonl", "a", "train-step7", 7],
    ["results.jsonl", "", "results", null],
    ["misstep_3.jsonl", "", "misstep_3", null],
    [".hidden", "", ".hidden", null],
    ["rollouts_0208T08.json", "", "rollouts_0208T08", null],
  ];
  for (const [path, folder, stem, step] of cases)
    it(path, () => {
      const file = mappedFile(path);
      assert.deepEqual([file.folder, file.stem, file.step], [folder, stem, step]);
    });
});
