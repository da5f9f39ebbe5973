import assert from "node:assert/strict";
import { auditGapText } from "./auditText.ts";

describe("what the audit says beside the score", () => {
  const gap = { difference: -0.0729, low: -0.1926, high: 0.0463 };
  it("is how far it lies from it, and whether that is more than noise", () => {
    assert.equal(
      auditGapText({ ...gap, verdict: "inside_noise" }),
      ", 7.3 points below [−19.3, +4.6], ≈ inside the noise",
    );
    assert.equal(
      auditGapText({ difference: -0.1, low: -0.142, high: -0.058, verdict: "overfits" }),
      ", 10.0 points below [−14.2, −5.8], ? may overfit the selection split",
    );
  });
  it("is nothing where there is no score to compare it with", () =>
    assert.equal(auditGapText(undefined), ""));
});
