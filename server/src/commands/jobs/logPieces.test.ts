import assert from "node:assert/strict";
import { LogPieces } from "./logPieces.ts";

describe("pieces of a log", () => {
  for (const [what, text, shown] of [
    ["line ends of every kind", "a\nb\r\nc\rd\r", "a\nb\nc\nd\n"],
    ["characters of several bytes", "é😀", "é😀"],
    ["sequences, which whoever prints makes visible", "\u001b[2J", "\u001b[2J"],
  ] as const)
    it(`are the same wherever they are cut: ${what}`, () => {
      const bytes = Buffer.from(text);
      for (let at = 0; at <= bytes.length; at++) {
        const log = new LogPieces();
        assert.equal(log.text(bytes.subarray(0, at)) + log.text(bytes.subarray(at)) + log.end(), shown);
      }
    });
  it("show that a character was cut at the end", () => {
    const log = new LogPieces();
    assert.equal(log.text(Buffer.from([0x61, 0xc3])) + log.end(), "a\ufffd");
  });
});
