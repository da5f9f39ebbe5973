import assert from "node:assert/strict";
import { flipWord } from "./flipText.ts";

const check = (direction: "fixed" | "broken", [b, bn, a, an]: readonly number[], expected: string) =>
  it(`${b} of ${bn}, then ${a} of ${an}: ${expected}`, () => {
    const counts = (pass = 0, of = 0) => ({ pass, fail: of - pass });
    assert.equal(flipWord({ direction, before: counts(b, bn), after: counts(a, an) }), expected);
  });

describe("what became of an item", () => {
  check("fixed", [0, 8, 4, 4], "fixed");
  check("fixed", [4, 8, 3, 4], "solved more often");
  check("fixed", [0, 4, 3, 4], "solved more often");
  check("broken", [8, 8, 0, 4], "broken");
  check("broken", [8, 8, 3, 4], "solved less often");
});
