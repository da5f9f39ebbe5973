import assert from "node:assert/strict";
import fc from "fast-check";
import { LogText } from "./logText.ts";

const shown = (...pieces: readonly string[]): string => {
  const text = new LogText();
  return pieces.map((piece) => text.push(piece)).join("") + text.end();
};
const runs = Number(process.env["EVOTRAINER_FUZZ_RUNS"] ?? 500);

describe("text of a log in a terminal", () => {
  for (const [what, input, expected] of [
    ["colours", "\u001b[1;31merror\u001b[0m", "\u001b[1;31merror\u001b[0m"],
    ["palette colours", "\u001b[38;5;208mx", "\u001b[38;5;208mx\u001b[0m"],
    ["a colour that is never switched off", "\u001b[31mx", "\u001b[31mx\u001b[0m"],
    ["all kinds of line ends", "a\nb\r\nc\rd", "a\r\nb\r\nc\r\nd"],
    ["a sequence that clears the screen", "\u001b[2J", "␛[2J"],
    ["a sequence that moves the cursor", "\u001b[10;10Hx\u001b[3A", "␛[10;10Hx␛[3A"],
    ["a sequence that sets the window title", "\u001b]0;owned\u0007", "␛]0;owned␇"],
    ["a sequence that sets the clipboard", "\u001b]52;c;ZXZpbA==\u001b\\", "␛]52;c;ZXZpbA==␛\\"],
    ["a link", "\u001b]8;;command:x\u001b\\here\u001b]8;;\u001b\\", "␛]8;;command:x␛\\here␛]8;;␛\\"],
    ["a sequence that asks the terminal something", "\u001b[6n\u001b[c", "␛[6n␛[c"],
    ["hidden text", "\u001b[8mx", "x"],
    ["blinking red text", "\u001b[5;31mx", "\u001b[31mx\u001b[0m"],
    ["an eight-bit sequence", "\u009b2J", "⟨U+009B⟩2J"],
    ["a character that reverses text", "a\u202eb", "a⟨U+202E⟩b"],
    ["backspaces", "abc\b\b\bxyz", "abc␈␈␈xyz"],
  ] as const)
    it(`shows ${what}`, () => assert.equal(shown(input), expected));

  it("keeps a colour or a line end that is split between two pieces", () => {
    assert.equal(shown("\u001b[3", "1mred\u001b", "[0m"), "\u001b[31mred\u001b[0m");
    assert.equal(shown("a\r", "\nb"), "a\r\nb");
  });

  it("lets only text, line ends, tabs and plain colours reach the terminal, wherever the text is cut", () => {
    const unit = fc.constantFrom(
      ..."ab0;:[]mHJ\\?52c8\u001b\u009b\u009d\u0007\b\r\n\t\u0000\u007f\u202e\u200b\ufeff".split(""),
    );
    fc.assert(
      fc.property(fc.array(fc.string({ unit, maxLength: 30 }), { maxLength: 6 }), (pieces) => {
        const rest = shown(...pieces).replace(/\u001b\[\d+(?:;\d+)*m/g, "");
        assert.doesNotMatch(rest, /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u200b\u202e\ufeff]/);
        assert.doesNotMatch(rest, /\r(?!\n)|(?<!\r)\n/);
        assert.doesNotMatch(shown(...pieces), /\u001b\[(?:\d+;)*0*[568](?:;\d+)*m/);
      }),
      { numRuns: runs },
    );
  });

  it("gives the same text wherever it is cut", () => {
    const unit = fc.constantFrom(..."ab1;[m\u001b\r\n".split(""));
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 40 }), fc.nat(40), (text, at) => {
        assert.equal(shown(text.slice(0, at), text.slice(at)), shown(text));
      }),
      { numRuns: runs },
    );
  });
});
