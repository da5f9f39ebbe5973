import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { fuzzRuns } from "../../../../test/support/base/fuzz.ts";
import { readPiece } from "./jobLog.ts";

describe("the pieces of a log", () => {
  let folder = "";
  before(() => void (folder = mkdtempSync(join(tmpdir(), "evotrainer-log-"))));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const path = (): string => join(folder, "stdout.log");

  it("fit together to the whole text, wherever they are cut", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: "grapheme", maxLength: 60 }),
        fc.integer({ min: 4, max: 20 }),
        async (text, limit) => {
          writeFileSync(path(), text);
          let read = "";
          let offset = 0;
          for (;;) {
            const piece = await readPiece(path(), offset, limit);
            read += piece.text;
            if (piece.next === offset) break;
            offset = piece.next;
          }
          assert.equal(read, text);
          assert.equal(offset, Buffer.byteLength(text));
        },
      ),
      { numRuns: fuzzRuns() },
    );
  });

  it("include bytes that are not text", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 40 }), async (bytes) => {
        writeFileSync(path(), bytes);
        let offset = 0;
        for (;;) {
          const { next } = await readPiece(path(), offset, 5);
          if (next === offset) break;
          offset = next;
        }
        assert.ok(bytes.length - offset <= 3);
      }),
      { numRuns: fuzzRuns() },
    );
  });

  it("begin at the end when no offset is given, and start again when the log was cut", async () => {
    writeFileSync(path(), "äöü€xyz");
    assert.deepEqual(await readPiece(path(), undefined, 5), {
      text: "xyz",
      next: 12,
      size: 12,
      restarted: false,
    });
    writeFileSync(path(), "new");
    assert.deepEqual(await readPiece(path(), 12, 5), { text: "new", next: 3, size: 3, restarted: true });
    assert.deepEqual(await readPiece(join(folder, "none"), 0, 5), {
      text: "",
      next: 0,
      size: 0,
      restarted: false,
    });
  });
});
