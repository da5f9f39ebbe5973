import assert from "node:assert/strict";
import fc from "fast-check";
import { hidden } from "../../../test/support/base/hostileText.ts";
import { inBlock, inHangingBlock, inLine, jsonText, withPlainTexts } from "./plainText.ts";

describe("text of others", () => {
  for (const [what, text, line] of [
    ["colours", "\u001b[31mred\u001b[0m", String.raw`\x1b[31mred\x1b[0m`],
    ["a sequence that sets the clipboard", "\u001b]52;c;eA==\u0007", String.raw`\x1b]52;c;eA==\x07`],
    ["an eight-bit sequence", "\u009b2J", String.raw`\x9b2J`],
    ["delete and backspace", "a\u007f\b", String.raw`a\x7f\x08`],
    ["text that is turned round", "a\u202eb\u2066c", String.raw`a\u202eb\u2066c`],
    ["marks without width", "v1\u200b\u2060\ufeff\u00ad", String.raw`v1\u200b\u2060\ufeff\xad`],
    ["tags", "a\u{e0041}\u{e007f}", String.raw`a\u{e0041}\u{e007f}`],
    ["variants that hide bytes", "a\ufe00\u{e0100}", String.raw`a\ufe00\u{e0100}`],
    ["letters without a look", "a\u3164\u115f", String.raw`a\u3164\u115f`],
    ["half a character", "a\ud83d.\udc00", String.raw`a\ud83d.\udc00`],
    ["line ends of Unicode", "a\u2028b\u2029\u0085", String.raw`a\u2028b\u2029\x85`],
    ["lines and tabs", "a\n\tb\r\nc\r", String.raw`a\n\tb\r\nc\r`],
    [
      "what people write",
      "Zoë, 日本語, עברית, ا\u0600, 😀, ✔\ufe0f → “x”\u00a0\\",
      "Zoë, 日本語, עברית, ا\u0600, 😀, ✔\ufe0f → “x”\u00a0\\",
    ],
  ] as const)
    it(`in a line: ${what}`, () => assert.equal(inLine(text), line));

  it("in a block keeps lines and tabs, with one kind of line end, and nothing else", () => {
    assert.equal(inBlock("a\r\n\tb\n\rc\u001b[2J"), "a\n\tb\n\\rc\\x1b[2J");
    assert.equal(inHangingBlock("git failed:\nPromoted v5\n"), "git failed:\n  Promoted v5");
    assert.equal(inHangingBlock("wrong:\n  x >\n    ^\n"), "wrong:\n  x >\n    ^");
    assert.equal(inHangingBlock("wrong:\n  x\nForged\n  y"), "wrong:\n    x\n  Forged\n    y");
  });

  const text = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)) }),
    fc.string({
      unit: fc.constantFrom(..."\u001b\u009b\u0000\n\r\t\u202e\u200b\ud800\udc00\u2028a\\".split("")),
    }),
  );
  it("leaves nothing hidden, whatever the text, and does nothing twice", () =>
    fc.assert(
      fc.property(text, (t) => {
        for (const show of [inLine, inBlock]) {
          const shown = show(t);
          assert.doesNotMatch(shown, hidden);
          assert.equal(show(shown), shown);
        }
        assert.doesNotMatch(inLine(t), /[\n\t]/);
        assert.equal(inBlock(inLine(t)), inLine(t));
      }),
      { numRuns: 2000 },
    ));

  it("makes JSON that hides nothing and holds the same, names of fields too", () =>
    fc.assert(
      fc.property(
        fc.dictionary(text, fc.array(text, { maxLength: 3 }), { maxKeys: 3 }),
        fc.nat(2),
        (value, indent) => {
          const json = jsonText(value, indent);
          assert.doesNotMatch(json, hidden);
          assert.deepEqual(JSON.parse(json), JSON.parse(JSON.stringify(value)));
        },
      ),
      { numRuns: 500 },
    ));

  it("makes every text of a value plain, and leaves a value that has none to change as it is", () => {
    const at = new Date(0);
    const plain = { a: ["x", 1, null, { b: "y" }], at };
    assert.equal(withPlainTexts(plain), plain);
    const shown = withPlainTexts({ plain, "n\u001bm": ["a\nb", { deep: "\u202e" }], n: undefined });
    assert.deepEqual(shown, { plain, "n\\x1bm": ["a\\nb", { deep: "\\u202e" }], n: undefined });
  });
});
