import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { concepts, picture } from "./concepts.ts";

describe("the picture of the two loops", () => {
  it("is what its script draws; npx tsx scripts/concepts.ts draws it again", () =>
    assert.equal(readFileSync(picture, "utf8"), concepts()));
});
