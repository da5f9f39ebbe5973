import assert from "node:assert/strict";
import { proposalFixture } from "../../../test/editor/ui/gateFixture.ts";
import { rationaleOf } from "./rationale.ts";

describe("the comment at a changed hunk", () => {
  const answersFound = [{ name: "insufficient-signal", holds: false, message: null }];
  const fixes = ["insufficient-signal"];

  it("says what should get better, what could get worse and what not to trust, before anything else", () => {
    const [better, worse, doubts] = rationaleOf(proposalFixture, { recordPending: true });
    assert.match(better ?? "", /^▲ Should get better: /);
    assert.match(worse ?? "", /^▼ Could get worse: /);
    assert.match(doubts ?? "", /^\? Not to be trusted: /);
  });

  it("says that the parent does not have what the change answers, and promises no less of it", () => {
    const [better, , doubts] = rationaleOf(
      { ...proposalFixture, fixes, answersFound },
      { recordPending: true },
    );
    assert.doesNotMatch(better ?? "", /rarer/);
    assert.match(doubts ?? "", /its target insufficient-signal is not found in v5/);
  });
});
