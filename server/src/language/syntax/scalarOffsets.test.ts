import assert from "node:assert/strict";
import { parseDocument } from "yaml";
import { sourceOffsets } from "./scalarOffsets.ts";

describe("sourceOffsets", () => {
  const sources: readonly (readonly [string, boolean])[] = [
    ["plain text", true],
    ["plain text\n  over two lines", true],
    ["'single quoted'", true],
    ['"double quoted"', true],
    [">-\n  folded\n  text\n\n  with a gap", true],
    ["|\n  literal\n    text\n", true],
    ["|2-\n    indented", true],
    ["'an ''escape'", false],
    ['"an \\"escape"', false],
  ];
  for (const [source, isKnown] of sources)
    it(JSON.stringify(source), () => {
      const value: unknown = parseDocument(source).toJS();
      assert.ok(typeof value === "string");
      const offsets = sourceOffsets(source, value);
      assert.equal(offsets !== undefined, isKnown);
      for (const [i, offset] of (offsets ?? []).entries())
        if (/\S/.test(value.charAt(i))) assert.equal(source.charAt(offset), value.charAt(i));
    });
});
