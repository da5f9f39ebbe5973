import assert from "node:assert/strict";
import { saidBy } from "./saidBy.ts";

const key = "k".repeat(43);
const trusted = [{ key, name: "bob" }];
const signature = { key, commit: null, value: "" };

describe("who answered a gate", () => {
  it("is the person that the answer names, and the one who signed it if that is somebody else", () => {
    assert.equal(saidBy({ by: "alice", signature }, trusted), "alice (signed by bob)");
    assert.equal(saidBy({ by: "bob", signature }, trusted), "bob");
    assert.equal(saidBy({ by: "alice", signature: { ...signature, key: "o".repeat(43) } }, trusted), "alice");
    assert.equal(saidBy({ by: "alice", signature: undefined }, trusted), "alice");
    assert.equal(saidBy({ by: "rule: full autonomy", signature }, trusted), "rule: full autonomy");
  });
});
