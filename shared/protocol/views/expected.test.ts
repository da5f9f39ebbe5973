import assert from "node:assert/strict";
import { proposalFixture, recordFixture } from "../../../test/editor/ui/gateFixture.ts";
import type { Proposal } from "./proposals.ts";
import { doubtsOf } from "./expected.ts";

const tried = proposalFixture.tried?.slice(0, 1) ?? [];
const sound: Proposal = { ...proposalFixture, tried, answersTo: [], record: recordFixture };
const check = (more: Partial<Proposal>): string[] =>
  doubtsOf({ ...sound, ...more }, { recordPending: false });

describe("what not to trust of a proposal", () => {
  it("is nothing where the like of it was measured, the backtest decides and its proposer was right before", () =>
    assert.deepEqual(check({}), []));

  const cases: readonly (readonly [string, Partial<Proposal>, string])[] = [
    ["was never tried", { tried: [] }, "nothing like it was ever measured"],
    [
      "was tried by a version that is not valid",
      { tried: tried.map((one) => ({ ...one, ended: "invalid" as const })) },
      "what v6 scored with the like of it is not valid",
    ],
    ["was not backtested", { backtest: null }, "it was not backtested"],
    [
      "could not be backtested",
      { backtest: { summary: "Cannot be computed offline.", figures: {} } },
      "the backtest decides nothing",
    ],
    [
      "was backtested on few groups",
      { backtest: { summary: "", figures: { groups: 12, dead_before: 3, dead_after: 1 } } },
      "few cases: the backtest is of 12 groups",
    ],
    [
      "answers what few rollouts show",
      { answersTo: [{ name: "echo-trap", labelled: 5, rollouts: 480 }] },
      "few cases: echo-trap is in 5 rollouts of v5",
    ],
    [
      "answers what its parent does not have",
      { answersFound: [{ name: "insufficient-signal", holds: false, message: null }] },
      "its target insufficient-signal is not found in v5",
    ],
    [
      "comes from nobody whose predictions were measured",
      { record: null },
      "no prediction of catalogue was measured yet",
    ],
  ];
  for (const [what, more, expected] of cases)
    it(`is said where it ${what}`, () => assert.deepEqual(check(more), [expected]));
});
