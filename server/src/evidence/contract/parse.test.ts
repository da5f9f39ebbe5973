import assert from "node:assert/strict";
import fc from "fast-check";
import { Rollout } from "../../../../shared/model/rollout.ts";
import { isRollout } from "./check.ts";
import { LineSplitter, maxLineBytes } from "./lines.ts";
import { parseMetrics, parseRollout } from "./parse.ts";
import { makeRollout } from "../../../../test/support/evidence/evidence.ts";

function lineOf(bytes: string | Buffer) {
  const splitter = new LineSplitter();
  const [line] = [...splitter.push(Buffer.concat([Buffer.from(bytes), Buffer.from("\n")]))];
  assert.ok(line);
  return line;
}

function check(bytes: string | Buffer, expected: string | RegExp): void {
  const parsed = parseRollout(lineOf(bytes));
  const got = parsed.type === "bad" ? parsed.reason : parsed.type;
  if (typeof expected === "string") assert.equal(got, expected);
  else assert.match(got, expected);
}

const withField = (changes: Record<string, unknown>): string =>
  JSON.stringify({ ...makeRollout(), ...changes });

describe("a line of evidence", () => {
  const good = JSON.stringify(makeRollout());
  const cases: readonly [name: string, bytes: string | Buffer, expected: string | RegExp][] = [
    ["a rollout", good, "record"],
    ["with CRLF", `${good}\r`, "record"],
    ["with a byte order mark at the start of the file", `\ufeff${good}`, "record"],
    ["with keys that the contract does not know", withField({ more: 1 }), "record"],
    ["blank", "  ", "blank"],
    ["empty", "", "blank"],
    [
      "another outcome",
      withField({ outcome: "maybe" }),
      'outcome must be pass, fail or unknown, got "maybe"',
    ],
    [
      "an unknown outcome without a reason",
      withField({ outcome: "unknown" }),
      "unknown_reason: An unknown outcome needs unknown_reason",
    ],
    ["a text as step", withField({ step: "5" }), 'step must be a number, got "5"'],
    ["a fraction as step", withField({ step: 1.5 }), "step must be a whole number, got 1.5"],
    ["a negative sample", withField({ sample: -1 }), "sample must be at least 0, got -1"],
    ["a number as id", withField({ id: 5 }), "id must be a string, got 5"],
    ["an empty id", withField({ id: "" }), "id must not be empty"],
    ["no id", withField({ id: undefined }), "id is missing"],
    ["no turns", withField({ turns: undefined }), "turns is missing"],
    ["turns as a text", withField({ turns: "x" }), 'turns must be a list, got "x"'],
    [
      "a turn without text",
      withField({ turns: [{ role: "user", text: "a" }, { role: "tool" }] }),
      "turns[1].text is missing",
    ],
    [
      "a null tool",
      withField({ turns: [{ role: "tool", text: "", tool: null }] }),
      "turns[0].tool must be a string, got null",
    ],
    [
      "a text as component",
      withField({ components: { tests: "1" } }),
      'components.tests must be a number, got "1"',
    ],
    [
      "two problems",
      withField({ split: "test", seed: 0.5 }),
      'split must be train, selection or audit, got "test" (and 1 more)',
    ],
    ["a huge integer", withField({ seed: 2 ** 60 }), /^seed must be /],
    ["a list", "[]", "the line must be an object, got []"],
    ["a number", "17", "the line must be an object, got 17"],
    [
      "NaN",
      good.replace('"reward":1', '"reward":NaN'),
      "reward is NaN, which JSON does not have: write null for a missing value",
    ],
    ["-Infinity", good.replace("-0.25", "-Infinity"), /^logprob_mean is -Infinity/],
    [
      "a number out of range",
      good.replace('"reward":1', '"reward":1e999'),
      "reward must be a finite number, got Infinity",
    ],
    ["a torn line", good.slice(0, 200), "torn JSON: the line ends in the middle of a value"],
    ["a torn line that ends in a brace", '{"a":{"b":1}', /^torn JSON|^not JSON/],
    ["a trailing comma", good.replace(/\}$/, ",}"), /^not JSON/],
    ["two objects", good + good, /^not JSON/],
    ["no JSON at all", "hello", /^not JSON/],
    ["invalid UTF-8", Buffer.from([0x7b, 0xff, 0x7d]), "the line is not valid UTF-8"],
    [
      "a line of 34 MB",
      withField({ policy: "x".repeat(34_000_000) }),
      `the line is longer than ${maxLineBytes / 2 ** 20} MiB`,
    ],
  ];
  for (const [name, bytes, expected] of cases) it(name, () => check(bytes, expected));

  it("that nests its values without end is no record, however long its texts are", () => {
    const deep = (depth: number): string => `${"[".repeat(depth)}${"]".repeat(depth)}`;
    for (const text of [`{"step":1,"x":${deep(200_000)}}`, `{"extra":{"x":${deep(100_000)}}}`])
      for (const parse of [parseRollout, parseMetrics]) {
        const parsed = parse(lineOf(text));
        assert.deepEqual(parsed, { type: "bad", reason: "its values are nested more than 1000 deep" });
      }
    const brackets = parseMetrics(lineOf(`{"step":1,"\\"[${"[{".repeat(20_000)}":2}`));
    assert.equal(brackets.type, "record");
  });

  it("that has metrics is checked as well", () => {
    const parse = (text: string): string => {
      const parsed = parseMetrics(lineOf(text));
      return parsed.type === "bad" ? parsed.reason : parsed.type;
    };
    assert.equal(parse('{"step":1,"loss":0.5,"kl":null}'), "record");
    assert.equal(parse('{"step":1,"loss":"x"}'), 'loss must be a number, got "x"');
    assert.equal(parse('{"loss":1}'), "step is missing");
    assert.match(parse('{"step":1,"loss":NaN}'), /^loss is NaN/);
  });

  it("passes the fast check exactly when it passes the schema", () => {
    const anything = fc.oneof(
      fc.jsonValue(),
      fc.constantFrom(null, -1, 0, 1.5, 2 ** 60, "", "x", true, [], {}, { a: 1 }, { a: "x" }, "unknown"),
    );
    const at = fc.constantFrom(...Object.keys(makeRollout()), "unknown_reason", "logprob_mean");
    const turnAt = fc.constantFrom("role", "text", "tool", "args", "ok", "tokens", "ms");
    const mutate = (change: [string, unknown][], turn: [string, unknown][]): unknown => ({
      ...makeRollout({ turns: [{ role: "user", text: "", ...Object.fromEntries(turn) }] }),
      ...Object.fromEntries(change),
    });
    let accepted = 0;
    const rollout = fc
      .tuple(
        fc.array(fc.tuple(at, anything), { maxLength: 2 }),
        fc.array(fc.tuple(turnAt, anything), { maxLength: 2 }),
      )
      .map(([change, turn]): unknown => JSON.parse(JSON.stringify(mutate(change, turn))));
    fc.assert(
      fc.property(rollout, (value) => {
        const bySchema = Rollout.safeParse(value);
        if (bySchema.success) accepted++;
        assert.equal(isRollout(value), bySchema.success);
        if (bySchema.success) assert.deepEqual(bySchema.data, value);
      }),
      { numRuns: 3000 },
    );
    assert.ok(accepted > 100, "the property must see rollouts that are accepted");
  });
});
