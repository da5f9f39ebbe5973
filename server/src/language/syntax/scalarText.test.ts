import assert from "node:assert/strict";
import type { Scalar } from "../../../../shared/spec/common.ts";
import { scalarText } from "./scalarText.ts";

describe("scalarText", () => {
  const cases: readonly (readonly [Scalar, string, string])[] = [
    ["flat", "linear", "flat"],
    ["flat", '"linear"', '"flat"'],
    ["it's", "'linear'", "'it''s'"],
    ["a, b", "x", '"a, b"'],
    ["[1]", "x", '"[1]"'],
    ["two\nlines", "x", '"two\\nlines"'],
    ["12", "x", '"12"'],
    [0.5, "1", "0.5"],
    [true, "no", "true"],
    [null, "1", "null"],
  ];
  for (const [value, written, expected] of cases)
    it(`${JSON.stringify(value)} in place of ${written}`, () =>
      assert.equal(scalarText(value, written), expected));
});
