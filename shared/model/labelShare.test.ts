import assert from "node:assert/strict";
import fc from "fast-check";
import { fuzzRuns, fuzzSeed } from "../../test/support/base/fuzz.ts";
import { groupsText, shareText, shortShareText } from "./shareText.ts";
import { alertOf, isTold, labelShare, ofGroups, shownShare } from "./labelShare.ts";

const share = (labelled: number, undecided: number, rollouts: number) =>
  labelShare({ labelled, undecided, rollouts });

describe("the share of a label", () => {
  for (const [labelled, undecided, rollouts, text, short] of [
    [120, 0, 1199, "10.0 %", "10.0 %"],
    [120, 1064, 1199, "88.9 % of 135 decided, 10.0 % to 98.7 % of all", "88.9 % ?"],
    [0, 40, 40, "cannot tell", "?"],
    [0, 0, 0, "none", "?"],
    [0, 1, 40, "0 % of 39 decided, 0 % to 2.5 % of all", "0 % ?"],
  ] as const)
    it(`is said as ${text}`, () => {
      assert.equal(shareText(share(labelled, undecided, rollouts)), text);
      assert.equal(shortShareText(shownShare({ labelled, undecided, rollouts })), short);
    });
  it("has no verdict below half", () => {
    assert.deepEqual([share(0, 50, 100), share(0, 51, 100)].map(isTold), [true, false]);
    assert.equal(isTold(share(0, 0, 0)), false);
  });
  for (const [what, labelled, undecided, expected] of [
    ["above a threshold", 12, 0, "warning"],
    ["above the critical one", 60, 0, "critical"],
    ["above it only of those that are decided", 9, 40, null],
    ["above the one and perhaps the other", 20, 45, "warning"],
    ["above it where too few are decided", 40, 60, null],
  ] as const)
    it(`sets off ${expected ?? "no alert"}: ${what}`, () =>
      assert.equal(alertOf(share(labelled, undecided, 100), { above: 0.1, critical: 0.5 }), expected));
  it("is of groups only where it says so", () => {
    assert.deepEqual(ofGroups({}), {});
    assert.deepEqual(ofGroups({ over: "rollout", split: "train" }), {});
    assert.deepEqual(ofGroups({ over: "group", split: "train" }), { over: "group", split: "train" });
    assert.equal(groupsText({ over: "group", split: "train" }), "groups, train split");
    assert.equal(groupsText({ split: "train" }), "");
  });
  it("lies within its bounds, whatever the undecided ones are", () => {
    const counts = fc.tuple(fc.nat(50), fc.nat(50), fc.nat(50), fc.nat(50));
    fc.assert(
      fc.property(counts, ([labelled, clear, truly, falsely]) => {
        const rollouts = labelled + clear + truly + falsely;
        const { rate, bounds, decided, coverage } = share(labelled, truly + falsely, rollouts);
        assert.equal(decided, labelled + clear);
        assert.ok(coverage >= 0 && coverage <= 1);
        if (rollouts > 0) {
          const truth = (labelled + truly) / rollouts;
          assert.ok(bounds[0] <= truth && truth <= bounds[1]);
        }
        assert.equal(rate === null, decided === 0);
        if (rate !== null) assert.ok(bounds[0] <= rate && rate <= bounds[1]);
      }),
      { numRuns: fuzzRuns(), ...fuzzSeed(11) },
    );
  });
});
