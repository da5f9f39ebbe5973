import assert from "node:assert/strict";
import { doubtsOf } from "./doubts.ts";

const audited = (verdict: "overfits" | "inside_noise") => ({
  audit: {
    ...{ score: 0.4, low: 0.3, high: 0.5 },
    gap: { difference: -0.2, low: -0.3, high: -0.1, verdict },
  },
});

describe("what is not to be trusted of a version that is valid", () => {
  it("is nothing where its audit holds and several seeds were trained", () =>
    assert.deepEqual(doubtsOf({ ...audited("inside_noise"), trial: { seeds: [1, 2] } }), []));
  it("is its score where the audit may say that it overfits", () =>
    assert.deepEqual(doubtsOf({ ...audited("overfits"), trial: { seeds: [1, 2] } }), [
      "its score, which the audit does not reach",
    ]));
  it("is what nobody signed, and one seed as if it were all", () =>
    assert.deepEqual(doubtsOf({ audit: null, claims: ["the decision"], trial: { seeds: [1] } }), [
      "what is only a claim",
      "that another seed comes out the same",
    ]));
});
