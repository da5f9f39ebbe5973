import assert from "node:assert/strict";
import { proposalFixture } from "../../../test/editor/ui/gateFixture.ts";
import { rationaleOf, type LookedUp } from "./rationale.ts";

describe("the comment at a changed hunk", () => {
  const answersFound = [{ name: "insufficient-signal", holds: false, message: null }];
  const fixes = ["insufficient-signal"];

  it("says what should get better, what could get worse and what not to trust, before anything else", () => {
    const [better, worse, doubts] = rationaleOf(proposalFixture, "known");
    assert.match(better ?? "", /^▲ Should get better: /);
    assert.match(worse ?? "", /^▼ Could get worse: /);
    assert.match(doubts ?? "", /^\? Not to be trusted: /);
  });

  it("says that the parent does not have what the change answers, and promises no less of it", () => {
    const [better, , doubts] = rationaleOf({ ...proposalFixture, fixes, answersFound }, "known");
    assert.doesNotMatch(better ?? "", /rarer/);
    assert.match(doubts ?? "", /its target insufficient-signal is not found in v5/);
  });

  it("says that this is looked up as long as it is, and claims nothing of a record that nobody could look up", () => {
    const isLooking = (lookedUp: LookedUp): boolean =>
      rationaleOf(proposalFixture, lookedUp).some((text) =>
        text.startsWith("Looking up what v5 has of that, and how earlier predictions came out…"),
      );
    assert.deepEqual((["pending", "known", "unknown"] as const).map(isLooking), [true, false, false]);
    assert.doesNotMatch(rationaleOf(proposalFixture, "unknown").join("\n"), /no prediction of/);
  });
});
