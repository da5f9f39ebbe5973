import assert from "node:assert/strict";
import { parseSpec } from "../syntax/parseSpec.ts";
import { documentSymbols, type Outline } from "./documentSymbols.ts";

const lines = (outlines: readonly Outline[], indent = ""): string[] =>
  outlines.flatMap(({ name, detail, type, children }) => [
    `${indent}${name} (${type})${detail === "" ? "" : ` = ${detail}`}`,
    ...lines(children, `${indent}  `),
  ]);

describe("document symbols", () => {
  it("are keys, and list elements named by their first field", () => {
    const text = `name: a\nedit:\n  - { file: x.yaml, to: 2 }\n  - plain\nempty:\nlabel: { when: "true" }\n`;
    assert.deepEqual(lines(documentSymbols(parseSpec("diagnostic", text))), [
      "name (text) = a",
      "edit (list)",
      "  x.yaml (mapping)",
      "    file (text) = x.yaml",
      "    to (number) = 2",
      "  plain (text) = plain",
      "empty (nothing)",
      "label (mapping)",
      "  when (text) = true",
    ]);
  });

  it("have a selection inside their range, even in broken texts", () => {
    const text = `a: [1, {b: }, "c\nd: |\n  x\n"": 1\n`;
    for (let end = 0; end <= text.length; end++) {
      const check = ({ span, selection, children, name }: Outline): void => {
        assert.ok(span.start <= selection.start && selection.end <= span.end && name !== "");
        children.forEach(check);
      };
      documentSymbols(parseSpec("project", text.slice(0, end))).forEach(check);
    }
  });
});
