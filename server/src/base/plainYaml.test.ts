import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { parseDocument } from "yaml";
import { parsePlainYaml } from "./plainYaml.ts";
import { fuzzRuns, fuzzSeed } from "../../../test/support/base/fuzz.ts";
import { treeOf } from "./yamlTree.ts";

const folder = fileURLToPath(new URL("../../../library/diagnostics", import.meta.url));
const shipped = readdirSync(folder).map((file) => readFileSync(`${folder}/${file}`, "utf8"));

/** Whether a text was plain; what was read of it is then what the library reads. */
function isPlain(text: string): boolean {
  const plain = parsePlainYaml(text);
  if (!plain) return false;
  const document = parseDocument(text, { prettyErrors: false, logLevel: "error" });
  assert.deepEqual(document.errors, []);
  assert.deepEqual(plain.tree, treeOf(document));
  assert.deepEqual(plain.value, document.toJS({ maxAliasCount: 100 }));
  return true;
}

describe("parsePlainYaml", () => {
  const plain = [
    "a: 1\n",
    "a: 1",
    "a:\n- b\n- c: 1\n  d:\n    - e\nf: g # h\n",
    "- - 1\n  - 2\n-   a: b\n    c: d\n-\n  e\n",
    "# of all\n\na: # of a\n  # of b\n  b: c\n\n\n# of d\nd: e\n",
    "a: {b: [1, 'it''s', \"x\\ny\"], \"c\":d, e: {}}\nf: [\n    1,\n    2,\n  ]\n",
    "n: [~, null, True, 0x1f, 0o17, 1e3, -.5, .inf, .nan, 1.50, 12:30, 1-2]\n",
    "a: x:y\nb: x#y\nc: 'a: b' # d\n\"e f\" : g\nh:\ni: ''\n",
    "1: a\nnull: b\ntrue: c\n.inf: d\n0x1f: e\n",
    "a:\n  b c\nd: é \u{1f600}\n",
  ];
  for (const text of plain) it(`reads ${JSON.stringify(text)}`, () => assert.ok(isPlain(text)));

  const other = [
    "",
    "# nothing\n",
    "just a text\n",
    "[1, 2]\n",
    "a: |\n  b\n",
    "a: b\n  c\n",
    "a: 'b\n  c'\n",
    "a: &x 1\nb: *x\n",
    "a: !t 1\n",
    "? a\n: b\n",
    "<<: {}\n",
    "a: 1\na: 2\n",
    "__proto__: 1\n",
    "---\na: 1\n",
    "a:\t1\n",
    "a: 1\r\n",
    "a: b: c\n",
    "a: - b\n",
    "a: [1, 2\n",
    "a: [b: c]\n",
    "a: {b}\n",
    "a: 'b' c\n",
    'a: "\\x41"\n',
    "a: 1\n b: 2\n",
    "a: 1\n- b\n",
    "a: @b\n",
    `${"- ".repeat(200)}a\n`,
    `${"[".repeat(200)}${"]".repeat(200)}\n`,
  ];
  for (const text of other)
    it(`leaves ${JSON.stringify(text.slice(0, 20))} to the library`, () =>
      assert.equal(parsePlainYaml(text), undefined));

  it("leaves an empty value before a comment to the library", () =>
    assert.equal(parsePlainYaml("- \n# c\n"), undefined));

  it("reads the specs that come with EvoTrainer", () => {
    assert.deepEqual(
      shipped.filter((text) => !isPlain(text)),
      [],
    );
  });

  it("reads any text that it accepts as the library does", () => {
    const part = fc.constantFrom(
      ...[
        "\n",
        " ",
        "  ",
        "\n  ",
        "\n    ",
        "\n\n",
        ": ",
        ":",
        "- ",
        "-",
        "\n- ",
        "# c",
        " # c",
        "\n# c\n",
        "\n  # c\n",
      ],
      ...[
        "{",
        "}",
        "[",
        "]",
        "[]",
        ", ",
        ",",
        "'",
        "''",
        '"',
        "\\",
        "\\n",
        "1",
        "0x1f",
        "~",
        "true",
        ".5",
        "1e3",
      ],
      ...[
        "a",
        "key: ",
        "a: b",
        "? ",
        "!t ",
        "&a ",
        "*a",
        "|",
        ">-",
        "%",
        "@",
        "<<: ",
        "é",
        "\u{1f600}",
        "---\n",
        "\t",
      ],
    );
    const written = fc.array(part, { maxLength: 25 }).map((parts) => parts.join(""));
    const edited = fc
      .tuple(
        fc.constantFrom(...shipped),
        fc.nat(40),
        fc.integer({ min: 1, max: 15 }),
        fc.array(fc.tuple(fc.nat(), fc.nat(4), fc.oneof(part, fc.constant(""))), { maxLength: 4 }),
      )
      .map(([text, from, count, edits]) => {
        const lines = text.split("\n").slice(from, from + count);
        const margin = Math.min(...lines.filter((line) => line !== "").map((line) => line.search(/\S/)));
        let cut = lines.map((line) => line.slice(Number.isFinite(margin) ? margin : 0)).join("\n");
        for (const [place, removed, added] of edits) {
          const at = place % (cut.length + 1);
          cut = cut.slice(0, at) + added + cut.slice(at + removed);
        }
        return cut;
      });
    fc.assert(
      fc.property(fc.oneof(written, edited, edited), (text) => void isPlain(text)),
      { numRuns: fuzzRuns(2000), ...fuzzSeed(20) },
    );
  });
});
