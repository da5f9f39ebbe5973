import assert from "node:assert/strict";
import { compileMapping } from "./compileMapping.ts";
import { mappedFile } from "./mappedRecord.ts";
import { map, mapped, row, spec, type Fields } from "../../../../test/support/evidence/mapping.ts";

describe("a mapped record", () => {
  it("has null for fields that the mapping leaves out", () => {
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

  it("reports which fields no record can have", () => {
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

  it("is refused when its name cannot be formed", () => {
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
      [{}, 5, "The record has no item. item (record.task): task cannot be read from a number."],
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
