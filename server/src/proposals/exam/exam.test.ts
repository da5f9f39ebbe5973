import assert from "node:assert/strict";
import { seededRandom } from "../../base/random.ts";
import { examResult, type AnsweredDrafts } from "./examResult.ts";

/** A moment of which only what was measured counts. */
const moment = (effects: readonly number[], expected: readonly number[]): AnsweredDrafts => ({
  moment: { drafts: effects.map((effect) => ({ effect })) },
  expected,
});

describe("the exam of a proposer", () => {
  it("gives full marks to who knows what comes, and none to who knows the contrary", () => {
    const effects = [
      [0.1, 0, -0.1],
      [-0.02, 0.3],
      [0.05, 0.01, 0.02],
      [-Infinity, 0, 0.1],
    ];
    const right = examResult(effects.map((one) => moment(one, one)));
    assert.deepEqual([right.hitRate.value, right.tau?.value, right.drafts], [1, 1, 11]);
    const wrong = examResult(
      effects.map((one) =>
        moment(
          one,
          one.map((x) => -x),
        ),
      ),
    );
    assert.deepEqual([wrong.hitRate.value, wrong.tau?.value], [0, -1]);
    assert.ok(Math.abs(right.byChance - (1 / 3 + 1 / 2 + 1 / 3 + 1 / 3) / 4) < 1e-12);
    assert.ok(Math.abs(right.above.value - (1 - right.byChance)) < 1e-12);
  });

  it("gives who has no opinion what chance gives", () => {
    const { hitRate, byChance, tau } = examResult([
      moment([0.1, 0, -0.1], [5, 5, 5]),
      moment([0.1, 0.1], [0, 0]),
    ]);
    assert.equal(hitRate.value, byChance);
    assert.equal(tau, null);
    assert.deepEqual([hitRate.low, hitRate.high], [null, null], "two moments show nothing");
  });

  it("counts a part of a hit where the best one is among those that it likes most", () => {
    assert.equal(examResult([moment([0.1, 0, 0], [1, 1, 0])]).hitRate.value, 0.5);
  });

  it("has an interval that holds 0 for who guesses, in about 95 of 100 exams", () => {
    const random = seededRandom(11);
    let held = 0;
    for (let exam = 0; exam < 60; exam++) {
      const answered = Array.from({ length: 25 }, () => {
        const effects = Array.from({ length: 4 }, () => random());
        return moment(
          effects,
          effects.map(() => random()),
        );
      });
      const { tau } = examResult(answered);
      if ((tau?.low ?? 1) <= 0 && (tau?.high ?? -1) >= 0) held++;
    }
    assert.ok(held >= 51, `${held} of 60`);
  });
});
