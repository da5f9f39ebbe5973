import assert from "node:assert/strict";
import { choose, testChoices, testSwaps } from "./assignments.ts";

describe("assignments", () => {
  it("are counted without listing them", () =>
    assert.deepEqual(
      [choose(8, 3), choose(8, 5), choose(5, 0), choose(3, 1), choose(50, 25) > 1e14],
      [56, 56, 1, 3, true],
    ));

  const meanDifference =
    (values: readonly number[]) =>
    (chosen: Uint8Array): number => {
      let [a, n] = [0, 0];
      const all = values.reduce((s, v) => s + v, 0);
      values.forEach((v, i) => {
        if (chosen[i] !== 1) return;
        a += v;
        n++;
      });
      return Math.abs(a / n - (all - a) / (values.length - n));
    };

  it("are all tried when there are few", () => {
    assert.deepEqual(testChoices(6, 3, meanDifference([1, 2, 3, 11, 12, 13])), {
      p: 2 / 20,
      exact: true,
      least: 2 / 20,
    });
    assert.deepEqual(testChoices(4, 2, meanDifference([5, 5, 5, 5])), { p: 1, exact: true, least: 1 });
    const oneAbove = testChoices(5, 1, meanDifference([0, 0, 7, 0, 0]));
    assert.deepEqual([oneAbove.p, oneAbove.least], [1, 1 / 5], "ties leave fewer ways");
  });
  it("are drawn at random when there are many, and never give a probability of 0", () => {
    const values = Array.from({ length: 40 }, (_, i) => (i < 20 ? 0 : 1) + i / 1000);
    const { p, exact } = testChoices(40, 20, meanDifference(values));
    assert.deepEqual([exact, p], [false, 1 / 5000]);
  });
  it("swap pairs: five changes in one direction are 2 of 32 ways", () => {
    const sum = (swapped: Uint8Array): number =>
      Math.abs([1, 1, 1, 1, 1].reduce((s, d, i) => s + (swapped[i] === 1 ? -d : d), 0));
    assert.deepEqual(testSwaps(5, sum), { p: 2 / 32, exact: true, least: 2 / 32 });
    assert.deepEqual(
      testSwaps(0, () => 0),
      { p: 1, exact: true, least: 1 },
    );
  });
});
