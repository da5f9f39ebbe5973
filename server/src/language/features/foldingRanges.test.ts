import assert from "node:assert/strict";
import { parseSpec } from "../syntax/parseSpec.ts";
import { foldingRanges } from "./foldingRanges.ts";

describe("folding ranges", () => {
  const cases: readonly (readonly [string, string, readonly string[]])[] = [
    ["a mapping and a mapping inside it", "a:\n  b:\n    c: 1\n    d: 2\n\ne: 1\n", ["0-3", "1-3"]],
    ["elements of a list", "a:\n  - b: 1\n    c: 2\n  - d\n", ["0-3", "1-2"]],
    ["a block text", "a: |\n  x\n  y\nb: 1\n", ["0-2"]],
    ["braces over several lines", "a: {\n  b: 1,\n}\n", ["0-2"]],
    ["comments", "# a\n# b\nc: 1\n# d\n", ["0-1 comment"]],
    ["nothing on one line", "a: { b: 1 }\n", []],
    ["a broken text", "a:\n  b: [\n    c", ["0-2", "1-2"]],
  ];
  for (const [name, text, expected] of cases)
    it(name, () =>
      assert.deepEqual(
        foldingRanges(parseSpec("project", text)).map(
          ({ start, end, type }) => `${start}-${end}${type === "comment" ? " comment" : ""}`,
        ),
        expected,
      ),
    );
});
