import assert from "node:assert/strict";
import { decisionText } from "./stages.ts";

describe("the word of a decision beside a score", () => {
  it("says that not all of it is signed", () => {
    const claims = ["It is not signed."];
    assert.equal(decisionText({ decision: "keep", stage: "replicated", claims }), "keep (partly a claim)");
    assert.equal(
      decisionText({ decision: "keep", stage: "one_seed", claims }, "became"),
      "kept (one seed, partly a claim)",
    );
    assert.equal(decisionText({ decision: "reject", claims: [] }), "reject");
  });
  for (const [decision, stage, word, became] of [
    ["keep", "one_seed", "keep (one seed)", "kept (one seed)"],
    ["keep", "replicated", "keep", "kept"],
    ["keep", null, "keep", "kept"],
    ["merge", "one_seed", "merge (one seed)", "merged (one seed)"],
    ["reject", "one_seed", "reject", "rejected"],
    ["base", undefined, "base", "base"],
  ] as const)
    it(`is ${word} for ${decision} ${stage ?? "without a stage"}`, () => {
      assert.equal(decisionText({ decision, stage }), word);
      assert.equal(decisionText({ decision, stage }, "became"), became);
    });
});
