import assert from "node:assert/strict";
import fc from "fast-check";
import { LineSplitter, type Line } from "./lines.ts";

interface Seen {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly complete: boolean;
  readonly tooLong: boolean;
}

function split(chunks: readonly Buffer[], offset = 0, limit?: number): Seen[] {
  const splitter = new LineSplitter(offset, limit);
  const seen: Seen[] = [];
  const take = ({ bytes, start, end, complete, tooLong }: Line): void => {
    seen.push({ text: bytes.toString("latin1"), start, end, complete, tooLong });
  };
  for (const chunk of chunks) {
    for (const line of splitter.push(chunk)) take(line);
    chunk.fill(0xff); // The reader reuses its buffer: nothing may point into it after the push.
  }
  const last = splitter.end();
  if (last !== undefined) take(last);
  return seen;
}

function cut(bytes: Buffer, at: readonly number[]): Buffer[] {
  const points = [0, ...at.map((n) => n % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return points.slice(1).map((end, i) => Buffer.from(bytes.subarray(points[i], end)));
}

describe("the line splitter", () => {
  const text = fc
    .array(fc.constantFrom("a", "{", "\n", "\r\n", "\r", "é", "☃", "𝕏", "\u2028", ""), { maxLength: 60 })
    .map((parts) => Buffer.from(parts.join("")));
  const cuts = fc.array(fc.nat(200), { maxLength: 12 });

  it("gives the same lines and offsets wherever the chunks end", () => {
    fc.assert(
      fc.property(text, cuts, fc.nat(1000), (bytes, at, offset) => {
        const seen = split(cut(bytes, at), offset);
        const parts = bytes.toString("latin1").split("\n");
        const rest = parts.pop();
        const expected = [...parts, ...(rest === "" || rest === undefined ? [] : [rest])];
        assert.deepEqual(
          seen.map((s) => s.text),
          expected.map((line) => line.replace(/\r$/, "")),
        );
        let position = offset;
        for (const [i, line] of seen.entries()) {
          assert.equal(line.start, position);
          position += (expected[i]?.length ?? 0) + (line.complete ? 1 : 0);
          assert.equal(line.end, position);
          assert.equal(line.complete, i < parts.length);
        }
        assert.equal(position, offset + bytes.length);
      }),
    );
  });

  it("marks lines over the limit and continues after them, however the chunks are cut", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(30), { minLength: 1, maxLength: 8 }), cuts, (sizes, at) => {
        const bytes = Buffer.from(sizes.map((n) => `${"x".repeat(n)}\n`).join(""));
        assert.deepEqual(
          split(cut(bytes, at), 0, 10).map((s) => s.tooLong),
          sizes.map((n) => n > 10),
        );
      }),
    );
  });

  it("uses little memory for a line that is far too long", () => {
    const splitter = new LineSplitter(0, 10_000);
    const chunk = Buffer.alloc(100_000, "x");
    for (let i = 0; i < 5; i++) assert.deepEqual([...splitter.push(chunk)], []);
    const [line] = [...splitter.push(Buffer.from("x\nnext"))];
    assert.equal(line?.tooLong, true);
    assert.equal(line.bytes.length, 4096);
    assert.equal(line.end, 500_002);
    assert.equal(splitter.end()?.bytes.toString(), "next");
  });
});
