import assert from "node:assert/strict";
import { mkdtemp, open, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { fuzzRuns } from "../../../../test/support/base/fuzz.ts";
import { lineAt, LineSplitter, type Line } from "./lines.ts";
import { isBlock, readBlocks } from "./readBlocks.ts";

/** What a reader has to know of a line, of lines whose bytes do not stay. */
const kept = (line: Line): unknown => ({ ...line, bytes: line.bytes.toString("latin1") });

describe("blocks of lines", () => {
  let folder = "";
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "blocks-"));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it("contain the lines that a splitter finds, whatever the memory limit, the first line and the last line", async () => {
    const path = join(folder, "lines");
    const line = fc.oneof(fc.string({ maxLength: 12 }), fc.constantFrom("", "\r", "é", "x".repeat(40)));
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { maxLength: 12 }),
        fc.constantFrom("", "torn", "t".repeat(50)),
        fc.integer({ min: 1, max: 60 }),
        fc.nat(),
        async (lines, torn, size, skipped) => {
          const bytes = Buffer.from(lines.map((text) => `${text}\n`).join("") + torn);
          await writeFile(path, bytes);
          const first = skipped % (lines.length + 1);
          const offset = Buffer.byteLength(
            lines
              .slice(0, first)
              .map((text) => `${text}\n`)
              .join(""),
          );
          const splitter = new LineSplitter(offset);
          const expected = [...splitter.push(bytes.subarray(offset))].map(kept);
          const last = splitter.end();
          if (last !== undefined) expected.push(kept(last));
          const file = await open(path, "r");
          const found: unknown[] = [];
          for await (const part of readBlocks(file, Buffer.alloc(size), offset)) {
            if (!isBlock(part)) found.push(kept(part));
            else
              for (let at = 0; at < part.bytes.length;) {
                const next = lineAt(part, at);
                found.push(kept(next));
                at = next.end - part.start;
              }
          }
          await file.close();
          assert.deepEqual(found, expected);
        },
      ),
      { numRuns: fuzzRuns(200) },
    );
  });
});
