import assert from "node:assert/strict";
import { distrustOf, distrustText } from "./distrust.ts";

const label = (name: string, labelled: number, invalidates = true) => ({
  ...{ name, labelled, invalidates },
  rollouts: 480,
});

describe("whether a version is to be trusted", () => {
  it("follows from what was decided, with what was found and what the score counts as", () => {
    const found = distrustOf({
      decision: "invalid",
      labels: [label("echo-trap", 20, false), label("other-leak", 3), label("history-leak", 480)],
      cleanScore: 0,
    });
    assert.ok(found);
    assert.deepEqual(
      found.labels.map(({ name }) => name),
      ["history-leak", "other-leak"],
    );
    assert.equal(
      distrustText(found, ""),
      "Quarantined: 480 of 480 rollouts carry history-leak, 3 carry other-leak; the score counts as 0 %.",
    );
  });

  it("follows from its labels before anybody has decided", () => {
    assert.ok(distrustOf({ decision: "pending", labels: [label("leak", 1)], cleanScore: null }));
    assert.equal(
      distrustOf({ decision: "pending", labels: [label("leak", 0)], cleanScore: null }),
      undefined,
    );
    assert.equal(
      distrustOf({ decision: "keep", labels: [label("x", 9, false)], cleanScore: null }),
      undefined,
    );
  });

  it("says the score of an evaluation without the leak, and the reason where no label speaks", () => {
    const again = distrustOf({
      ...{ decision: "invalid", labels: [label("leak", 5)], cleanScore: 0.25 },
      cleanBy: "reevaluated",
    } as const);
    assert.ok(again);
    assert.match(distrustText(again, ""), /evaluated again without it, the version scores 25\.0 %\.$/);
    const other = distrustOf({ decision: "invalid", labels: [], cleanScore: null });
    assert.ok(other);
    assert.equal(distrustText(other, "Its evaluator changed."), "Its evaluator changed.");
  });
});
