import assert from "node:assert/strict";
import { foreseenText, unmeasuredText } from "./foreseen.ts";

describe("what came of a prediction", () => {
  it("is good news of a fix, and a warning of a risk", () => {
    assert.equal(foreseenText("hit", "fix"), "✓ came true");
    assert.equal(foreseenText("hit", "risk"), "△ came true");
    assert.equal(foreseenText("opposite", "fix"), "✗ the opposite");
    assert.equal(foreseenText("opposite", "risk"), "↓ the opposite: rarer");
    assert.equal(foreseenText("within_noise", "risk"), "≈ within the noise");
  });
  it("names only what could not be measured", () => {
    const of = { version: "v8", parent: "v2" };
    assert.equal(unmeasuredText({ ...of, lacking: ["v8"] }), "there are no rollouts of v8");
    assert.equal(unmeasuredText({ ...of, lacking: ["v8", "v2"] }), "there are no rollouts of v8 or of v2");
    assert.equal(unmeasuredText({ ...of, notValid: ["v8"] }), "v8 is not valid");
  });
});
