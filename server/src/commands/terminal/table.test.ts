import assert from "node:assert/strict";
import { cellText, forTerminal, ownSequence } from "./ownSequences.ts";
import { fittedText, sentences, table, tableRows, wrap } from "./table.ts";

const pipe = { terminal: false, columns: 100 };

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
        pipe,
      ),
      `a      1\n${green("long")}  22`,
    ));
  it("fits a terminal: wide texts go on below, in their own column", () => {
    const cells = [
      ["version", "score", "change"],
      ["v1", "95.8 %", "shape: flat → linear, bonus: 0 → 1, history: hidden → visible"],
      ["v2", "3 %", "speed"],
    ];
    const terminal = { terminal: true, columns: 40 };
    const lines = table(cells, [1], terminal).split("\n");
    assert.deepEqual(lines, [
      "version   score  change",
      "v1       95.8 %  shape: flat → linear,",
      "                 bonus: 0 → 1, history:",
      "                 hidden → visible",
      "v2          3 %  speed",
    ]);
    // A file or a pipe gets each row as one line.
    assert.equal(table(cells, [1], { ...terminal, terminal: false }).split("\n").length, 3);
    assert.equal(
      table(cells, [1], { ...terminal, columns: 3 })
        .split("\n")[0]
        ?.slice(0, 7),
      "version",
    );
  });
  it("puts the last columns in a table below where they have no room, and breaks a name at its signs", () => {
    const cells = [
      ["item", "v0", "v1-linear-shape", "v2-visible-history", "changes"],
      ["selection-11-of-a-long-name", "0/4", "3/4", "4/4", "3"],
    ];
    assert.equal(
      table(cells, [1, 2, 3, 4], { terminal: true, columns: 30 }),
      [
        "item            v0  v1-linear-",
        "                         shape",
        "selection-11-  0/4         3/4",
        "of-a-long-",
        "name",
        "",
        "item                     v2-",
        "                    visible-",
        "                     history",
        "selection-11-of-a-       4/4",
        "long-name",
        "",
        "item                changes",
        "selection-11-of-a-        3",
        "long-name",
      ].join("\n"),
    );
  });
  it("keeps all columns aligned if something is between its rows", () =>
    assert.deepEqual(
      tableRows(
        [
          ["a", "one two"],
          ["b", "x", "y"],
        ],
        [],
        { terminal: true, columns: 8 },
      ).map((row) => row.split("\n").length),
      [1, 1],
    ));
  it("makes each cell one line of visible text, with our colours kept", () =>
    assert.equal(
      forTerminal(table([["a\nforged", green("b\u001b[2J")], ["\u202e"]], [], pipe)),
      "a\\nforged  \u001b[32mb\\x1b[2J\u001b[39m\n\\u202e",
    ));
  it("is empty when it has no rows", () => assert.equal(table([], [], pipe), ""));
});

describe("wrap", () => {
  it("breaks at spaces and indents", () => assert.equal(wrap("one two three", 7, "  "), "one two\n  three"));
  it("keeps a number with its percent sign", () =>
    assert.equal(wrap("about 67.5 % [1]", 11), "about\n67.5 % [1]"));
  it("keeps a long word whole", () => assert.equal(wrap("abcdefghij k", 5), "abcdefghij\nk"));
});

describe("a text on a terminal", () => {
  const terminal = { terminal: true, columns: 20 };
  it("goes on below, further to the right, and a short line stays", () =>
    assert.equal(
      fittedText("  one two three four five\n    x   y", terminal),
      "  one two three four\n    five\n    x   y",
    ));
  it("is not touched in a file or a pipe", () =>
    assert.equal(fittedText("one two three four five six", pipe), "one two three four five six"));

  it("leaves a command on a line of its own whole, so that it can be copied", () => {
    const command = "  evotrainer label v1 v1.train.s1/a yes";
    assert.equal(fittedText(`Does it?\n${command}`, terminal), `Does it?\n${command}`);
  });

  it("breaks no number at its point", () => {
    const shown = table([["a", "0.009375…0.5604 (7)"]], [], { terminal: true, columns: 13 });
    assert.equal(shown, "a  0.009375…\n   0.5604 (7)");
  });
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
