import assert from "node:assert/strict";
import fc from "fast-check";
import type { Rollout } from "../../../shared/model/rollout.ts";
import { fuzzRuns } from "../base/testFuzz.ts";
import type { Line } from "./lines.ts";
import { parseRollout } from "./parse.ts";
import { rolloutRow, turnRow } from "./recordRows.ts";
import { putScanned, type RowSink } from "./scannedRows.ts";
import { RolloutScanner } from "./scanRollout.ts";
import type { Source } from "./sources.ts";
import { makeRollout } from "./testEvidence.ts";

const source: Source = {
  source: 3n,
  path: "a.jsonl",
  run: null,
  version: "v1",
  kind: "rollouts",
  consumed: 0,
  lines: 0,
  fingerprint: "",
};
const at = { rid: 7, source, line: 11 };

/** What is in a column when a cell was put there: text as UTF-8 has it, a map in its order. */
function stored(cell: unknown): unknown {
  if (typeof cell === "string") return Buffer.from(cell).toString();
  return typeof cell === "object" && cell !== null
    ? Object.entries(cell).map(([k, v]): unknown[] => [stored(k), v])
    : cell;
}

/** Rows that were given column by column. */
class Recorder implements RowSink {
  readonly rows: unknown[][] = [[]];
  next(value: unknown): void {
    this.rows.at(-1)?.push(stored(value));
  }
  nextBytes(bytes: Buffer, start: number, end: number): void {
    this.next(bytes.toString("utf8", start, end));
  }
  nextPairs(bytes: Buffer, { count, spans, values }: RolloutScanner["components"]): void {
    const pairs = Array.from({ length: count }, (_, i) => [
      bytes.toString("utf8", spans[2 * i], spans[2 * i + 1]),
      values[i],
    ]);
    this.rows.at(-1)?.push(pairs);
  }
  endRow(): void {
    this.rows.push([]);
  }
}

const scanner = new RolloutScanner();

/** Holds the scanner to the parser on one line; whether the scanner took it. */
function check(text: string | Buffer): boolean {
  const bytes = Buffer.from(text);
  if (!scanner.scan(bytes)) return false;
  const line: Line = { start: 9, end: 9 + bytes.length, bytes, tooLong: false, complete: true };
  const parsed = parseRollout(line);
  if (parsed.type !== "record") assert.fail(`the parser does not take ${bytes.toString()}`);
  const tables = { rollouts: new Recorder(), turns: new Recorder() };
  putScanned(tables, at, scanner);
  const { record } = parsed;
  assert.deepEqual(tables.rollouts.rows.slice(0, -1), [rolloutRow(at, record).map(stored)], bytes.toString());
  assert.deepEqual(
    tables.turns.rows.slice(0, -1),
    record.turns.map((turn, i) => turnRow(at.rid, i, turn).map(stored)),
    bytes.toString(),
  );
  return true;
}

/** As Python's json.dumps writes by default: spaces behind separators, ASCII only. */
function python(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(python).join(", ")}]`;
  if (typeof value === "object" && value !== null)
    return `{${Object.entries(value)
      .filter(([, v]) => v !== undefined)
      .map(([k, v]) => `${python(k)}: ${python(v)}`)
      .join(", ")}}`;
  return JSON.stringify(value).replaceAll(
    /[\u007f-\uffff]/g,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

const text = fc.oneof(
  fc.constantFrom(
    "",
    "a",
    'say "x"\\ /',
    "line\nline\ttab\r\b\f\u0001",
    "é☃𝕏",
    "\ud800",
    "\udc00a",
    "twelve chars",
    "x".repeat(300),
  ),
  fc.string({ unit: "binary", maxLength: 20 }),
);
const name = fc.oneof(fc.constantFrom("a", "é", "a b"), fc.string({ minLength: 1, maxLength: 8 }));
const number = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
  fc.constantFrom(0, -0, 0.1, 1e21, 1e-7, 5e-324, 123456789012345.6, 2 ** 53, 0.30000000000000004),
);
const count = fc.oneof(fc.nat(), fc.constantFrom(0, Number.MAX_SAFE_INTEGER));
const positive = number.map(Math.abs);
const object = fc.dictionary(fc.oneof(name, fc.constantFrom("__proto__", "1")), fc.jsonValue(), {
  maxKeys: 4,
});
const rollout: fc.Arbitrary<Rollout> = fc.record({
  id: name,
  run: name,
  split: fc.constantFrom("train", "selection", "audit"),
  step: count,
  item: name,
  group: name,
  sample: count,
  outcome: fc.constantFrom("pass", "fail", "unknown"),
  unknown_reason: name,
  reward: fc.option(number),
  components: fc.dictionary(fc.oneof(name, fc.constantFrom("7", "tests")), number, { maxKeys: 4 }),
  stop_reason: name,
  turns: fc.array(
    fc.record(
      { role: text, text, tool: text, args: object, ok: fc.boolean(), tokens: count, ms: positive },
      { requiredKeys: ["role", "text"] },
    ),
    { maxLength: 3 },
  ),
  tokens: count,
  logprob_mean: number,
  policy: text,
  harness: text,
  seed: fc.maxSafeInteger(),
  started_at: text,
  duration_ms: positive,
  extra: object,
});

describe("rollout scanner", () => {
  const usual = makeRollout();
  const compact = JSON.stringify(usual);

  it("takes what writers usually write", () => {
    const { unknown_reason, ...rest } = { unknown_reason: "crash", ...usual };
    for (const line of [
      compact,
      python(usual),
      `${compact}  `,
      JSON.stringify({ ...usual, turns: [], components: {}, extra: {}, reward: null }),
      JSON.stringify({ unknown_reason, ...rest, outcome: "unknown" }),
      JSON.stringify(Object.fromEntries(Object.entries(usual).reverse())),
      JSON.stringify({ ...usual, turns: Array.from({ length: 300 }, () => usual.turns).flat() }),
      JSON.stringify({
        ...usual,
        turns: [{ role: "a", text: "", args: { a: 10, b: "c", d: null, e: true } }],
      }),
      JSON.stringify({ ...usual, turns: [{ role: "a", text: "", args: {} }] }),
      compact.replace('"path":"a.py"', '"path":"a.py","path":1'),
      compact.replace('"path":"a.py"', '"path":007').replace("007", "-0"),
      compact.replace('"path":"a.py"', '"path":1,"10":2,"9":3'),
      compact.replace('"path":"a.py"', '"path":12345678901234567890,"x":1.50'),
      python({ ...usual, item: "é𝕏", turns: [{ role: "user", text: "\ud800 half, 𝕏 whole" }] }),
    ])
      assert.ok(check(line), line);
  });

  it("leaves to the parser what is not in the contract beyond doubt", () => {
    for (const [from, to] of [
      ['"step":0', '"step":00'],
      ['"step":0', '"step":-1'],
      ['"step":0', '"step":0.5'],
      ['"step":0', '"step":"0"'],
      ['"step":0', '"step":1e999'],
      ['"step":0,', '"step":0,"step":1,'],
      ['"step":0,', '"step":0,"other":1,'],
      ['"step":0,', ""],
      ['"outcome":"pass"', '"outcome":"unknown"'],
      ['"outcome":"pass"', '"outcome":"passed"'],
      ['"item":"item-1"', '"item":""'],
      ['"tests":1', '"tests":1,"tests":2'],
      ['"tests":1', '"__proto__":1'],
      ['"tests":1', '"7":1'],
      ['"tests":1', '"tests":NaN'],
      ['"role":"user",', ""],
      ['"Fix it."', '"Fix\tit."'],
      ['"Fix it."', '"Fix \\x it."'],
      ['"Fix it."', '"Fix \\u12 it."'],
      ['"extra":{', '"extra":[{'],
      ['"host":"node-7"', '"host":"node-7",'],
      [/\}$/, ""],
      [/\}$/, "}}"],
      [/^/, "\ufeff"],
    ] as const) {
      const line = compact.replace(from, to);
      assert.notEqual(line, compact);
      assert.equal(check(line), false, line);
    }
    assert.equal(check(Buffer.from([0x7b, 0xff])), false);
    assert.equal(check(compact.replace("Fix", "\u{1f642}")), true);
    assert.equal(check(Buffer.from(compact.replace("Fix", "\u00ff"), "latin1")), false);
  });

  it("makes the same rows as the parser of whatever it takes", () => {
    let taken = 0;
    fc.assert(
      fc.property(
        rollout,
        fc.boolean(),
        fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 2 }),
        (r, spaced, changes) => {
          const line = Buffer.from(spaced ? python(r) : JSON.stringify(r));
          for (const [place, byte] of changes) line[place % line.length] = byte;
          if (check(line)) taken++;
        },
      ),
      { numRuns: fuzzRuns(500) },
    );
    assert.ok(taken > 50, `only ${taken} lines were taken`);
  });

  it("makes the same rows of a line in which one piece of JSON was put for another", () => {
    const pieces = [
      '"',
      "\\",
      "{",
      "}",
      "[",
      "]",
      ",",
      ":",
      "0",
      "-",
      ".",
      "e",
      "null",
      "true",
      " ",
      "\\u00e9",
      "\\ud800",
      "é",
    ];
    fc.assert(
      fc.property(fc.nat(compact.length), fc.nat(3), fc.constantFrom(...pieces), (place, length, piece) => {
        check(compact.slice(0, place) + piece + compact.slice(place + length));
      }),
      { numRuns: fuzzRuns(2000) },
    );
  });
});
