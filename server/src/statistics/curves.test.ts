import assert from "node:assert/strict";
import {
  bestWindow,
  changeOf,
  dropOf,
  gainOf,
  gainSince,
  jumpOf,
  meanOf,
  peakOf,
  shareAboveLowest,
  stepsAtLowest,
} from "./curves.ts";

const repeated = (value: number, count: number): number[] => Array.from({ length: count }, () => value);
/** The same every time, between −0.5 and 0.5. */
const noise = (count: number, seed = 1): number[] => {
  let state = seed;
  return Array.from({ length: count }, () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647 - 0.5;
  });
};

describe("numbers of a curve", () => {
  it("finds the step at which the level changes", () => {
    const curve = noise(100).map((v, i) => v / 10 + (i < 63 ? 1 : 0.2));
    const change = changeOf(curve);
    assert.deepEqual([change?.at, change?.before.toFixed(1), change?.after.toFixed(1)], [63, "1.0", "0.2"]);
  });

  for (const [what, curve] of [
    ["noise around one level", noise(200)],
    ["equal values whose sum is not exact", repeated(0.1, 33)],
    ["too few steps", [1, 1, 1, 1, 0, 0, 0, 0, 0]],
    ["a change in the last steps only", [...repeated(1, 20), 0]],
  ] as const)
    it(`finds no change in ${what}`, () => assert.equal(changeOf(curve), null));

  it("has its best window where the mean is highest", () => {
    const curve = [...repeated(0, 20), ...repeated(3, 10), ...repeated(1, 70)];
    assert.equal(meanOf(bestWindow(curve)), 3);
    assert.equal(peakOf([0, 9, 0, 4, 4, 4, 0]), 13 / 3);
  });

  it("measures a fall from the best in deviations of the steps, and none where it ends at its best", () => {
    const up = noise(60).map((v, i) => v + i);
    assert.ok((dropOf([...up, ...up.toReversed()]) ?? 0) > 4);
    assert.equal(dropOf(repeated(1, 30)), 0);
    // Nothing to measure by.
    assert.equal(dropOf([...repeated(1, 20), ...repeated(0, 20)]), null);
    assert.ok((gainOf(up) ?? 0) > 4);
  });

  it("tells a jump from a climb by the steps around the change", () => {
    const climb = Array.from({ length: 100 }, (_, i) => i);
    assert.ok(Math.abs((jumpOf(climb) ?? 0) - 5 / Math.sqrt(2.5)) < 1e-9);
    assert.ok((jumpOf(noise(60).map((v, i) => v + (i < 30 ? 0 : 9))) ?? 0) > 10);
    assert.ok((jumpOf(noise(60).map((v, i) => v - (i < 30 ? 0 : 9))) ?? 0) < -10);
    assert.equal(jumpOf(noise(60)), null);
    assert.equal(jumpOf([...repeated(0, 10), ...repeated(1, 10)]), null);
  });

  it("measures a rise since a step in deviations of the steps", () => {
    const curve = noise(60).map((v, i) => v + (i < 30 ? 0 : 9));
    assert.ok((gainSince(curve, 30) ?? 0) > 10 && Math.abs(gainSince(curve, 40) ?? 9) < 2);
    assert.equal(gainSince(curve, 0), null);
  });

  it("counts the last steps at the lowest value, and how often the others were above it", () => {
    const curve = [0, 1, 0, 2, 0, 0, 0];
    assert.deepEqual([stepsAtLowest(curve), shareAboveLowest(curve)], [3, 1 / 3]);
    assert.deepEqual([stepsAtLowest([3, 2, 4]), shareAboveLowest([3, 2, 4])], [0, 0.5]);
    assert.deepEqual([stepsAtLowest([1, 1]), shareAboveLowest([1, 1])], [2, null]);
  });
});
