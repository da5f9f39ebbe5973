import assert from "node:assert/strict";
import { cellText, forTerminal, ownSequence } from "./ownSequences.ts";
import { sentences, table, wrap } from "./table.ts";

const green = (text: string): string => ownSequence("\u001b[32m") + text + ownSequence("\u001b[39m");

describe("table", () => {
  it("pads columns, aligns numbers, and ignores colours when measuring", () =>
    assert.equal(
      table(
        [
          ["a", "1"],
          [green("long"), "22"],
        ],
        [1],
      ),
      `a      1\n${green("long")}  22`,
    ));
  it("fits a terminal: wide texts go on below, in their own column", () => {
    const cells = [
      ["version", "score", "change"],
      ["v1", "95.8 %", "shape: flat → linear, bonus: 0 → 1, history: hidden → visible"],
      ["v2", "3 %", "speed"],
    ];
    const terminal = { live: true, columns: 40 };
    const lines = table(cells, [1], terminal).split("\n");
    assert.deepEqual(lines, [
      "version   score  change",
      "v1       95.8 %  shape: flat → linear,",
      "                 bonus: 0 → 1, history:",
      "                 hidden → visible",
      "v2          3 %  speed",
    ]);
    // A file or a pipe gets each row as one line.
    assert.equal(table(cells, [1], { ...terminal, live: false }).split("\n").length, 3);
    assert.equal(
      table(cells, [1], { ...terminal, columns: 3 })
        .split("\n")[0]
        ?.slice(0, 7),
      "version",
    );
  });
  it("makes each cell one line of visible text, with our colours kept", () =>
    assert.equal(
      forTerminal(table([["a\nforged", green("b\u001b[2J")], ["\u202e"]])),
      "a\\nforged  \u001b[32mb\\x1b[2J\u001b[39m\n\\u202e",
    ));
  it("is empty when it has no rows", () => assert.equal(table([]), ""));
});

describe("wrap", () => {
  it("breaks at spaces and indents", () => assert.equal(wrap("one two three", 7, "  "), "one two\n  three"));
  it("keeps a long word whole", () => assert.equal(wrap("abcdefghij k", 5), "abcdefghij\nk"));
});

describe("sentences", () => {
  it("that stood in lines stand in one", () => assert.equal(sentences("One.\\n  Two."), "One. / Two."));
});

describe("our own sequences", () => {
  it("reach the terminal, also from a cell, and nobody else's do, not even one that is written like ours", () => {
    assert.equal(forTerminal(`${ownSequence("\r\u001b[2K")}a\u001b[2K`), "\r\u001b[2Ka\\x1b[2K");
    const forged = ownSequence("\u001b[2J").replace(/[0-9a-f]{24}/, (word) =>
      word.split("").reverse().join(""),
    );
    for (const text of [forged, cellText(forged)]) assert.ok(!forTerminal(text).includes("\u001b"), text);
    assert.equal(forTerminal(cellText(green("x\n"))), "\u001b[32mx\\n\u001b[39m");
  });
});
