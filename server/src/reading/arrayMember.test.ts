import assert from "node:assert/strict";
import fc from "fast-check";
import { heldBuffers } from "../../../test/support/base/memory.ts";
import { fuzzRuns } from "../../../test/support/base/fuzz.ts";
import { readAround, readWithin } from "./arrayMember.ts";
import { mutated, readsOrRefuses, refusal } from "../../../test/support/reading/readers.ts";

const name = "file";

/** The bytes in pieces that end at these places. */
function* cut(bytes: Buffer, at: readonly number[]): Generator<Buffer> {
  const ends = [...at.map((n) => n % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
  let start = 0;
  for (const end of ends) {
    yield bytes.subarray(start, end);
    start = end;
  }
}

async function check(
  text: string,
  around: unknown,
  within: readonly unknown[],
  at: number[] = [],
): Promise<void> {
  const bytes = Buffer.from(text);
  assert.deepEqual((await readAround(cut(bytes, at), "rows", { name })).value, around);
  assert.deepEqual(await elements(cut(bytes, at)), within);
}

async function elements(stream: Iterable<Buffer>): Promise<unknown[]> {
  const found: unknown[] = [];
  for await (const item of readWithin(stream, "rows", { name }))
    found.push(item.type === "value" ? item.value : item.reason);
  return found;
}

describe("the reader of an array in an object", () => {
  it("separates the array from the fields around it", () =>
    check('{"a": [1], "rows": [{"rows": [1]}, "]", 2], "b": 3}', { a: [1], rows: [], b: 3 }, [
      { rows: [1] },
      "]",
      2,
    ]));
  it("finds the key only at the top, and never a value of that name", () =>
    check(
      '{"a": {"rows": [1]}, "b": "rows", "c": [["rows", [2]]], "r\\"ows": [4], "rows" : [3]}',
      { a: { rows: [1] }, b: "rows", c: [["rows", [2]]], 'r"ows': [4], rows: [] },
      [3],
    ));
  it("returns nothing when there is no such array", async () => {
    await check('{"rows": null, "a": [1]}', { rows: null, a: [1] }, []);
    await check('{"rows": {"0": [1]}}', { rows: { 0: [1] } }, []);
    await check('["rows", [1]]', ["rows", [1]], []);
  });
  it("refuses a document with a long rest, and one that ends within the array", async () => {
    const long = Buffer.from(`{"a": "${"x".repeat(100)}", "rows": []}`);
    assert.match(
      await refusal(() => readAround([long], "rows", { name, maxBytes: 64 })),
      /more than 64 bytes beside its rows/,
    );
    assert.deepEqual(await elements([Buffer.from('{"rows": [1, {"a"')]), [
      1,
      "it ends in the middle of a value",
      "the array is not closed",
    ]);
  });
  it("keeps in memory only the fields around and one element, however long the array is", async () => {
    const row = Buffer.from(`{"text": "${"y".repeat(1000)}"},`.repeat(1000));
    function* parts(): Generator<Buffer> {
      yield Buffer.from('{"rows": [');
      for (let i = 0; i < 64; i++) yield row;
      yield Buffer.from('{}], "last": 1}');
    }
    const before = heldBuffers();
    let [count, most] = [0, 0];
    for await (const item of readWithin(parts(), "rows", { name })) {
      assert.equal(item.type, "value");
      if (count++ % 5000 === 0) most = Math.max(most, heldBuffers() - before);
    }
    assert.equal(count, 64_001);
    assert.ok(most < 10_000_000, `${most} bytes were held of 64 MB`);
    assert.deepEqual((await readAround(parts(), "rows", { name, maxBytes: 1000 })).value, {
      rows: [],
      last: 1,
    });
  });
  it("gives the same result wherever the chunks end", () =>
    fc.assert(
      fc.asyncProperty(
        fc.dictionary(fc.oneof(fc.string(), fc.constantFrom("row", "rowss")), fc.jsonValue({ maxDepth: 3 })),
        fc.array(fc.jsonValue({ maxDepth: 3 }), { maxLength: 6 }),
        fc.nat(2),
        fc.array(fc.nat(2000), { maxLength: 8 }),
        async (others, rows, indent, at) => {
          const text = JSON.stringify({ ...others, rows }, null, indent);
          const value = JSON.parse(text) as { rows: unknown[] };
          await check(text, { ...value, rows: [] }, value.rows, at);
        },
      ),
      { numRuns: fuzzRuns() },
    ));
  it("reads or refuses any damaged document", () =>
    fc.assert(
      fc.asyncProperty(mutated(Buffer.from('{"a":"\\"x","rows":[{"b":[1]},2],"c":{}}')), async (bytes) => {
        await readsOrRefuses(() => readAround([bytes], "rows", { name }));
        await readsOrRefuses(() => elements([bytes]));
      }),
      { numRuns: fuzzRuns() },
    ));
});
