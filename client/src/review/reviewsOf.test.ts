import assert from "node:assert/strict";
import { reviewsOf } from "./reviewsOf.ts";

describe("what needs review", () => {
  const gate = { gate: "design", title: "t", why: null } as const;
  it("is every proposal at a gate, once, and says which of them a rule answers", () =>
    assert.deepEqual(
      reviewsOf([
        { ...gate, version: "v8", who: "rule" },
        { ...gate, version: "v9", who: "person", why: "the project is human-gated" },
        { ...gate, version: "v9", gate: "backtest", who: "rule" },
        { ...gate, version: "v2", gate: "completion", who: "person" },
      ]),
      { waiting: ["v8", "v9"], byRule: ["v8"] },
    ));
});
