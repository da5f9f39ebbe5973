import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { parseText } from "../syntax/parseSpec.ts";
import { edited } from "../../../../test/support/language/openProject.ts";
import { formatting } from "./formatting.ts";

const formatted = (text: string) => edited(text, formatting(parseText(text)));

describe("formatting", () => {
  const cases: readonly (readonly [string, string, string])[] = [
    ["indentation", "a:\n     b:  1\n     c:\n       - 2\n", "a:\n  b: 1\n  c:\n    - 2\n"],
    ["braces", "a: {b: 1,   c: [1,2]}\n", "a: { b: 1, c: [1, 2] }\n"],
    ["brackets", "a: [ 1, [], [ {b: c } ] ]\n", "a: [1, [], [{ b: c }]]\n"],
    ["comments stay", "# top\na: 1   # why\n\n# next\nb:   2\n", "# top\na: 1 # why\n\n# next\nb: 2\n"],
    ["quotes stay", "a:   'x'\nb: \"y\"\n", "a: 'x'\nb: \"y\"\n"],
    ["blocks stay", "a:  |\n  x\n   y\nb: >-\n  z\n", "a: |\n  x\n   y\nb: >-\n  z\n"],
    ["a broken text stays as it is", "a: [\nb:   1\n", "a: [\nb:   1\n"],
    ["an empty file", "\n", "\n"],
  ];
  for (const [name, text, expected] of cases) it(name, () => assert.equal(formatted(text), expected));

  it("changes only the form of the library, and nothing the second time", () => {
    const folder = new URL("../../../../library/diagnostics/", import.meta.url);
    for (const file of readdirSync(folder)) {
      const text = readFileSync(new URL(file, folder), "utf8");
      const once = formatted(text);
      assert.deepEqual(parseText(once).value, parseText(text).value, file);
      assert.equal(formatted(once), once, file);
    }
  });
});
