import assert from "node:assert/strict";
import type { EvidenceStanding } from "../../../shared/protocol/views/evidence.ts";
import { shareText, verdictsOf } from "./standing.ts";

describe("the version in the head of the evidence", () => {
  const standing = (more: Partial<EvidenceStanding>): EvidenceStanding => ({
    ...{ decision: "reject", stage: null, claims: [], score: 0.548 },
    ...more,
  });
  const said = (more: Partial<EvidenceStanding>): string[] =>
    verdictsOf(standing(more)).map(({ mark, colour, word }) => `${mark} ${word} (${colour})`);
  const noise = { against: "v1", difference: 0.003, verdict: "inside_noise" } as const;

  it("says what was decided, and how it compares", () => {
    assert.deepEqual(said({ compared: noise }), [
      "× rejected (foreground)",
      "≈ inside the noise of v1, +0.3 points (foreground)",
    ]);
    const better = { against: "v0", difference: 0.201, verdict: "improved" } as const;
    assert.deepEqual(said({ decision: "keep", compared: better, stage: "one_seed" }), [
      "● kept (one seed) (green)",
      "▲ better than v0, +20.1 points (green)",
    ]);
  });

  it("says of what is not to be trusted that it is invalid, and nothing else", () => {
    const distrust = { counts: 0 };
    assert.deepEqual(said({ decision: "invalid", distrust, compared: noise }), ["⊘ invalid (magenta)"]);
    assert.deepEqual(said({ decision: "pending", distrust }), ["⊘ invalid (magenta)"]);
  });

  for (const [score, beside, expected] of [
    [0.548, { version: "v1-better", score: 0.545 }, "54.8 % passed, v1 54.5 %"],
    [0.548, { version: "v1", score: null }, "54.8 % passed"],
    [0.11, undefined, "11.0 % passed"],
    [null, undefined, ""],
  ] as const)
    it(`says the share that passed: ${expected || "none"}`, () =>
      assert.equal(
        shareText({ score, ...(beside === undefined ? {} : { beside }) }).replaceAll("\u00a0", " "),
        expected,
      ));
});
