import assert from "node:assert/strict";
import { proposalFixture, recordFixture } from "../../../test/editor/ui/gateFixture.ts";
import type { Proposal } from "./proposals.ts";
import { betterText, doubtsOf } from "./expected.ts";

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
    [
      "was tried by a version that waits for a person",
      { tried: tried.map((one) => ({ ...one, ended: "held" as const })) },
      "the gain of v6 with the like of it may be a shortcut",
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
      "answers a label that no rollout of its parent has",
      { answersTo: [{ name: "echo-trap", labelled: 0, rollouts: 480 }] },
      "its target echo-trap is not found in v5",
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

describe("what a proposal should make better", () => {
  const success = { metric: "solve_rate", atLeast: 0.02, confidence: 0.95 };
  const absent = [{ name: "insufficient-signal", holds: false, message: null }];
  const said = (more: Partial<Proposal>): string => betterText({ ...sound, success, ...more });
  const rise = "the solve rate rises by at least 2.0 points";

  it("is what its proposer predicts", () =>
    assert.equal(said({ fixes: ["max-turns", "echo-trap"] }), `${rise}; rarer: max-turns, echo-trap`));

  it("leaves out what its parent does not have", () => {
    assert.equal(
      said({ fixes: ["max-turns", "insufficient-signal"], answersFound: absent }),
      `${rise}; rarer: max-turns`,
    );
    assert.equal(said({ fixes: ["insufficient-signal"], answersFound: absent }), rise);
    const none = [{ name: "echo-trap", labelled: 0, rollouts: 480 }];
    assert.equal(said({ fixes: ["echo-trap"], answersTo: none }), rise);
  });

  it("is nothing where its parent has none of it, and says so", () =>
    assert.equal(
      said({ success: null, fixes: ["insufficient-signal"], answersFound: absent }),
      "nothing: v5 does not have insufficient-signal",
    ));
});
