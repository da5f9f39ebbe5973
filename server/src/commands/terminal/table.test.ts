import assert from "node:assert/strict";
import { printable, table, wrap } from "./table.ts";

describe("table", () => {
  it("pads columns, aligns numbers, and ignores colours when measuring", () =>
    assert.equal(
      table(
        [
          ["a", "1"],
          ["\u001b[32mlong\u001b[39m", "22"],
        ],
        [1],
      ),
      "a      1\n\u001b[32mlong\u001b[39m  22",
    ));
  it("is empty when it has no rows", () => assert.equal(table([]), ""));
});

describe("wrap", () => {
  it("breaks at spaces and indents", () => assert.equal(wrap("one two three", 7, "  "), "one two\n  three"));
  it("keeps a long word whole", () => assert.equal(wrap("abcdefghij k", 5), "abcdefghij\nk"));
});

describe("printable", () => {
  for (const [what, text, shown] of [
    ["colours", "\u001b[31mred\u001b[0m", "red"],
    ["a title change", "\u001b]0;owned\u0007ok", "ok"],
    ["a bell and a backspace", "a\u0007b\u0008c", "a�b�c"],
    ["bidirectional overrides", "a\u202eb", "a�b"],
    ["line feeds and tabs, which it keeps", "a\n\tb", "a\n\tb"],
  ] as const)
    it(`handles ${what}`, () => assert.equal(printable(text), shown));
});
