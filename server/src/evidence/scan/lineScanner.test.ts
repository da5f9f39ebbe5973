import assert from "node:assert/strict";
import { isUtf8 } from "node:buffer";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import type { Rollout } from "../../../../shared/model/rollout.ts";
import { fuzzRuns } from "../../../../test/support/base/fuzz.ts";
import { stops } from "./lineScanner.ts";
import { makeRollout } from "../../../../test/support/evidence/evidence.ts";
import { check, scan, scanner, taken } from "../../../../test/support/evidence/scanner.ts";

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
  fc.constantFrom(0, -0, 0.1, 1e21, 1e-7, 2e-308, 123456789012345.6, 2 ** 53, 0.30000000000000004),
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
  components: fc.dictionary(
    fc.oneof({ arbitrary: name, weight: 8 }, { arbitrary: fc.constantFrom("7", "tests"), weight: 1 }),
    number,
    { maxKeys: 4 },
  ),
  stop_reason: fc.option(name),
  turns: fc.array(
    fc.record(
      { role: text, text, tool: text, args: object, ok: fc.boolean(), tokens: count, ms: positive },
      { requiredKeys: ["role", "text"] },
    ),
    { maxLength: 3 },
  ),
  tokens: fc.option(count),
  logprob_mean: number,
  policy: fc.option(text),
  harness: fc.option(text),
  seed: fc.option(fc.maxSafeInteger()),
  started_at: fc.option(text),
  duration_ms: fc.option(positive),
  extra: object,
});

describe("the line scanner", () => {
  const usual = makeRollout();
  const compact = JSON.stringify(usual);

  it("reads the forms that writers usually write", () => {
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

  it("leaves to the parser any line that may not be in the contract", () => {
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

  it("makes the same rows as the parser for every line that it reads", () => {
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
    assert.ok(taken > 10, `only ${taken} lines were taken`);
  });

  it("makes the same rows for a line in which one piece of JSON was replaced by another", () => {
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

  it("continues after lines that it did not read, as if they had not been there", () => {
    const line = fc.tuple(rollout, fc.boolean(), fc.option(fc.tuple(fc.nat(), fc.nat(255)), { freq: 1 }));
    fc.assert(
      fc.property(
        fc.array(line, { minLength: 1, maxLength: 12 }),
        fc.integer({ min: 1, max: 5 }),
        (lines, most) => {
          const all = lines.map(([r, spaced, change]) => {
            const bytes = Buffer.from(spaced ? python(r) : JSON.stringify(r));
            if (change !== null && change[1] !== 0x0a) bytes[change[0] % bytes.length] = change[1];
            return bytes;
          });
          const alone = all.map((bytes, i) => {
            const end = i % 2 === 0 ? "\n" : "\r\n";
            const stop = scan(
              Buffer.concat([bytes, Buffer.from(end)]),
              { rid: i, line: i },
              1,
              isUtf8(bytes),
            );
            const rows = taken();
            return stop === stops.done ? rows : { rollouts: [], turns: [] };
          });
          const block = Buffer.concat(
            all.flatMap((bytes, i) => [bytes, Buffer.from(i % 2 === 0 ? "\n" : "\r\n")]),
          );
          scanner.block.set(block);
          const { byteOffset } = scanner.block;
          const isText = isUtf8(block);
          for (let place = byteOffset, i = 0; i < all.length;) {
            const before = scanner.rollouts;
            const stop = scanner.scan(place, byteOffset + block.length, {
              lines: most,
              rid: i,
              line: i,
              isText,
            });
            place = scanner.position;
            i += scanner.rollouts - before;
            if (stop === stops.run) scanner.setRun(scanner.nextRun);
            else if (stop !== stops.done) {
              assert.equal(stop, stops.other);
              place = byteOffset + block.indexOf(0x0a, place - byteOffset) + 1;
              i++;
            }
          }
          const together = taken();
          assert.deepEqual(
            together.rollouts,
            alone.flatMap(({ rollouts }) => rollouts),
          );
          assert.deepEqual(
            together.turns,
            alone.flatMap(({ turns }) => turns),
          );
        },
      ),
      { numRuns: fuzzRuns(200) },
    );
  });

  it("stops when a chunk is full, and reads no line with more turns than fit", () => {
    const turn = { role: "user", text: "x".repeat(20) };
    const lineOf = (turns: number, size = 0): string =>
      JSON.stringify({
        ...usual,
        turns: Array.from({ length: turns }, () => ({ ...turn, text: turn.text + "y".repeat(size) })),
      });
    const rows = (lines: readonly string[]): number[] => {
      const seen = [];
      scanner.block.set(Buffer.from(lines.map((line) => `${line}\n`).join("")));
      const { byteOffset } = scanner.block;
      const end = byteOffset + Buffer.byteLength(lines.join("\n")) + 1;
      for (let place = byteOffset; place < end; place = scanner.position) {
        const stop = scanner.scan(place, end, { lines: Infinity, rid: 0, line: 1, isText: true });
        seen.push(stop, scanner.rollouts, scanner.turns);
        if (stop === stops.turns) scanner.clearTurns();
        else if (stop === stops.rollouts) scanner.clearRollouts();
        else break;
      }
      taken();
      return seen;
    };
    scanner.setRun(usual.run);
    assert.deepEqual(rows([lineOf(2000), lineOf(40), lineOf(10)]), [stops.turns, 2, 2040, stops.done, 3, 10]);
    assert.deepEqual(rows([lineOf(2048), lineOf(0), lineOf(1)]), [stops.turns, 1, 2048, stops.done, 3, 1]);
    assert.deepEqual(rows([lineOf(1), lineOf(2049)]), [stops.turns, 1, 1, stops.other, 1, 0]);
    assert.deepEqual(rows(Array.from({ length: 2050 }, () => lineOf(0))), [
      stops.rollouts,
      2048,
      0,
      stops.done,
      2,
      0,
    ]);
    const many = JSON.stringify({
      ...usual,
      components: Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`part-${i}`, i])),
    });
    assert.equal(rows(Array.from({ length: 600 }, () => many))[0], stops.rollouts);
    // Two lines do not fit into a block: the texts of one fill what is for all.
    const large = lineOf(1, 4_190_000);
    assert.deepEqual(rows([large]), [stops.done, 1, 1]);
    const half = lineOf(1, 2_090_000);
    assert.deepEqual(rows([half, half]), [stops.done, 2, 2]);
  });

  it("finishes a chunk when its texts use much memory, not only when it has many rows", () => {
    const line = JSON.stringify({ ...usual, turns: [{ role: "user", text: "y".repeat(4_190_000) }] });
    assert.equal(scan(`${line}\n`), stops.done);
    assert.equal(scan(`${line}\n`), stops.done);
    assert.equal(scan(`${line}\n`), stops.turns);
    assert.deepEqual(
      taken().turns.map(([, , , text]) => String(text).length),
      [4_190_000, 4_190_000],
    );
  });

  it("is the compiled form of server/wasm as it is now", function () {
    this.timeout(60_000);
    const build = fileURLToPath(new URL("../../../wasm/build.mjs", import.meta.url));
    const fresh = execFileSync(process.execPath, [build, "--print"], { encoding: "utf8" });
    const committed = readFileSync(new URL("scanModule.ts", import.meta.url), "utf8");
    assert.ok(fresh === committed, "run node server/wasm/build.mjs");
  });
});
