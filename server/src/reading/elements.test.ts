import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { heldBuffers } from "../../../test/support/base/memory.ts";
import { fuzzRuns } from "../../../test/support/base/fuzz.ts";
import { skipBecause } from "../../../test/support/base/skip.ts";
import { fileBytes } from "./bytes.ts";
import { readConcatenated, readElements, type ElementsOptions, type JsonItem } from "./elements.ts";
import {
  fixtures,
  mutated,
  noFixtures,
  readsOrRefuses,
  refusal,
} from "../../../test/support/reading/readers.ts";

type Read = typeof readElements;

/** The bytes in pieces that end at these places, each in a buffer of its own. */
function pieces(bytes: Buffer, at: readonly number[]): Buffer[] {
  const points = [0, ...at.map((n) => n % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return points.slice(1).map((end, i) => Buffer.from(bytes.subarray(points[i], end)));
}

async function all(
  read: Read,
  bytes: string | Buffer,
  options: Partial<ElementsOptions> & { at?: readonly number[] } = {},
): Promise<JsonItem[]> {
  const { at = [], ...rest } = options;
  const items: JsonItem[] = [];
  for await (const item of read(pieces(Buffer.from(bytes), at), { name: "a.json", ...rest }))
    items.push(item);
  return items;
}

/** Each item in short: its value, or its offsets and reason. */
async function check(read: Read, bytes: string | Buffer, expected: readonly unknown[]): Promise<void> {
  // One byte at a time as well as at once: where the chunks end must not matter.
  for (const at of [[], Array.from({ length: Buffer.from(bytes).length }, (_, i) => i)]) {
    const items = await all(read, bytes, { at });
    assert.deepEqual(
      items.map((i) =>
        i.type === "value" ? i.value : `${i.start}-${i.end} ${i.reason}${i.torn ? " (torn)" : ""}`,
      ),
      expected,
    );
    assert.deepEqual(
      items.map((i) => i.index),
      items.map((_, i) => i),
    );
  }
}

const torn = "it ends in the middle of a value (torn)";

describe("JSON elements reader", () => {
  const cases: readonly [name: string, bytes: string, expected: readonly unknown[]][] = [
    ["no elements", " [ ] ", []],
    ["objects", '[{"a": [1, {"b": "]}"}]}, {}]', [{ a: [1, { b: "]}" }] }, {}]],
    [
      "every kind of value",
      '\ufeff[1,-2.5e3 , "a,]\\"" ,null,[[]],true]\n',
      [1, -2500, 'a,]"', null, [[]], true],
    ],
    ["NaN", '[NaN, {"a": -Infinity}]', [null, { a: null }]],
    ["a damaged element", "[{a: 1}, 2]", ["1-7 it is not JSON (Expected property name or '}') at byte 2", 2]],
    [
      "words",
      "[tru, lun]",
      ["1-4 it ends in the middle of a value at byte 4", "6-9 it is not JSON (Unexpected token 'l')"],
    ],
    [
      "missing values",
      "[,1,,2,]",
      [
        "1-2 a value is missing before the comma",
        1,
        "4-5 a value is missing before the comma",
        2,
        "7-8 a value is missing before ]",
      ],
    ],
    ["missing commas", "[{} {}]", [{}, "4-5 a comma is missing before it", {}]],
    ["text after the array", "[1] [2] 3", [1, "4-5 there is text after the array"]],
    ["an array cut off between elements", "[1, 2", [1, 2, "5-5 the array is not closed (torn)"]],
    ["an array cut off in an element", '[1, {"a', [1, `4-7 ${torn}`, "7-7 the array is not closed (torn)"]],
    ["nothing", "", ["0-0 there is no array in it (torn)"]],
  ];
  for (const [name, bytes, expected] of cases)
    it(`reads ${name}`, () =>
      check(
        readElements,
        bytes,
        expected.map((e) => e),
      ));

  it("refuses a document that is not an array", async () => {
    for (const bytes of ['{"a": 1}', "1", "x", "}"])
      assert.match(await refusal(() => all(readElements, bytes)), /^a.json is not a JSON array/);
  });

  it("reports an element that is too deep, too long or not UTF-8, and continues", async () => {
    const deep = "[".repeat(10_000) + "]".repeat(10_000);
    const long = `"${"x".repeat(3000)}"`;
    const bytes = Buffer.concat([
      Buffer.from(`[1, ${deep}, ${long}, "`),
      Buffer.from([0xff]),
      Buffer.from('", 2]'),
    ]);
    const items = await all(readElements, bytes, { maxElementBytes: 2048, at: [100, 2000, 21_000] });
    assert.deepEqual(
      items.map((i) => (i.type === "value" ? i.value : i.reason)),
      [1, "it is longer than 2 KiB", "it is longer than 2 KiB", "it is not valid UTF-8 at byte 23011", 2],
    );
    const [, second] = await all(readElements, bytes);
    assert.ok(
      second?.type === "problem" && second.reason === "it nests deeper than 1000 levels at byte 1004",
    );
  });

  it("says where NaN was in an element", async () => {
    const [, item] = await all(readElements, '[1, {"a": {"b": [0, NaN]}}]');
    assert.ok(item?.type === "value");
    assert.deepEqual(item.nonFinite, { count: 1, paths: ["a.b[1]"] });
  });

  it("reads a string of 50 MB that comes in pieces", async () => {
    const part = Buffer.alloc(1024 * 1024, 'x\\"');
    function* parts(): Generator<Buffer> {
      yield Buffer.from('["');
      for (let i = 0; i < 48; i++) yield Buffer.from(part);
      yield Buffer.from('xx", 2]');
    }
    const items: JsonItem[] = [];
    for await (const item of readElements(parts(), { name: "big" })) items.push(item);
    assert.deepEqual(
      items.map((i) => (i.type === "value" ? typeof i.value : i.reason)),
      ["string", "number"],
    );
  });

  it("keeps one element in memory at a time, however long the array is", async () => {
    const element = `{"text": "${"y".repeat(1000)}"},`;
    const part = Buffer.from(element.repeat(1000));
    function* parts(): Generator<Buffer> {
      yield Buffer.from("[");
      for (let i = 0; i < 100; i++) yield Buffer.from(part);
      yield Buffer.from("{}]");
    }
    const before = heldBuffers();
    let [count, most] = [0, 0];
    for await (const item of readElements(parts(), { name: "long" })) {
      assert.equal(item.type, "value");
      if (count++ % 5000 === 0) most = Math.max(most, heldBuffers() - before);
    }
    assert.equal(count, 100_001);
    assert.ok(most < 10_000_000, `${most} bytes were held of 100 MB`);
  });

  it("gives the same elements wherever the chunks end", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.jsonValue({ maxDepth: 4 }), { maxLength: 8 }),
        fc.nat(2),
        fc.array(fc.nat(1000), { maxLength: 10 }),
        async (values, indent, at) => {
          const bytes = Buffer.from(JSON.stringify(values, null, indent));
          const items = await all(readElements, bytes, { at });
          assert.deepEqual(
            items.map((i) => (i.type === "value" ? i.value : i)),
            JSON.parse(bytes.toString()),
          );
          for (const item of items)
            assert.deepEqual(
              JSON.parse(bytes.subarray(item.start, item.end).toString()),
              item.type === "value" && item.value,
            );
        },
      ),
      { numRuns: fuzzRuns() },
    ));

  it("reads the real array files as JSON.parse does", async function () {
    const files = [
      ...fixtures("agent_tau_bench", ".json"),
      ...fixtures("rl_tinker_rewardhack_rollouts", ".json"),
    ];
    if (files.length === 0) skipBecause(this, noFixtures);
    let arrays = 0;
    for (const name of files) {
      const bytes = readFileSync(name);
      if (bytes.toString().trimStart()[0] !== "[") continue;
      arrays++;
      const values: unknown[] = [];
      for await (const item of readElements(fileBytes(name), { name })) {
        assert.ok(item.type === "value");
        values.push(item.value);
      }
      assert.deepEqual(values, JSON.parse(bytes.toString()), name);
      if (arrays > 4) continue;
      await fc.assert(
        fc.asyncProperty(mutated(bytes), async (damaged) => {
          await readsOrRefuses(() => all(readElements, damaged, { at: [damaged.length >> 1] }));
        }),
        { numRuns: fuzzRuns(5) },
      );
    }
    assert.ok(arrays > 0);
  });
});

describe("concatenated JSON reader", () => {
  const indented = (...values: unknown[]): string => values.map((v) => JSON.stringify(v, null, 2)).join("\n");
  const cases: readonly [name: string, bytes: string, expected: readonly unknown[]][] = [
    ["nothing", "", []],
    ["objects over many lines", indented({ a: { b: [1] } }, { c: "}{" }), [{ a: { b: [1] } }, { c: "}{" }]],
    [
      "objects on one line",
      '\ufeff{"a":1}{"b":2} [3] 4 "five" null',
      [{ a: 1 }, { b: 2 }, [3], 4, "five", null],
    ],
    [
      "text between objects",
      '{"a":1} , {"b":2}',
      [{ a: 1 }, "8-9 it is not JSON (Unexpected token ',')", { b: 2 }],
    ],
    ["one closing brace too many", "{}}{}", [{}, "2-3 it is not JSON (Unexpected token '}')", {}]],
    ["an object that is still being written", `{"a":1}\n{"b": [`, [{ a: 1 }, `8-15 ${torn}`]],
    [
      "the rest after an object that was cut off",
      `{"a": "x\n{\n  "b": 2\n}\n{"c": 3}`,
      ["0-9 it ends in the middle of a value", { b: 2 }, { c: 3 }],
    ],
  ];
  for (const [name, bytes, expected] of cases)
    it(`reads ${name}`, () => check(readConcatenated, bytes, expected));

  it("resumes at the end of any item", async () => {
    const bytes = Buffer.from(indented({ a: 1 }, { b: NaN }, [{ c: "é" }]));
    const items = await all(readConcatenated, bytes);
    for (const [i, { end }] of items.entries()) {
      const rest = await all(readConcatenated, bytes.subarray(end), { offset: end });
      assert.deepEqual(
        rest.map(({ start }) => start),
        items.slice(i + 1).map(({ start }) => start),
      );
    }
  });

  it("examines the text after damaged objects a limited number of times", async () => {
    const items = await all(readConcatenated, '{"a": "\n'.repeat(20_001));
    assert.ok(items.length <= 102, String(items.length));
    assert.equal(items.at(-1)?.end, 8 * 20_001);
  });

  it("reads any bytes", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom("[", "]", "{", "}", '"', "\\", ",", ":", "NaN", "1", "é", "\n"), {
          maxLength: 60,
        }),
        fc.array(fc.nat(60), { maxLength: 4 }),
        async (parts, at) => {
          const bytes = Buffer.from(parts.join(""));
          const whole = await all(readConcatenated, bytes);
          assert.deepEqual(await all(readConcatenated, bytes, { at }), whole);
          let position = 0;
          for (const item of whole) {
            // Nothing but space lies between items: no byte is dropped without a word.
            assert.equal(bytes.subarray(position, item.start).toString().trim(), "");
            position = item.end;
          }
          assert.equal(bytes.subarray(position).toString().trim(), "");
        },
      ),
      { numRuns: fuzzRuns() },
    ));
});
