import assert from "node:assert/strict";
import { domainWithZero, placeOn, rangeOf, reachOf } from "./axis.ts";

const axis = (low: number, high: number) => ({ domain: [low, high] as const, say: String });

describe("where a value lies in a picture", () => {
  const cases: readonly (readonly [string, ReturnType<typeof axis>, number, number])[] = [
    ["at the left end for the least", axis(-2, 2), -2, 0],
    ["in the middle for the middle", axis(-2, 2), 0, 50],
    ["at the right end for what is beyond it", axis(-2, 2), 5, 100],
    ["in the middle where all values are one", axis(3, 3), 3, 50],
  ];
  for (const [name, on, value, place] of cases) it(name, () => assert.equal(placeOn(on, value), place));
});

describe("the ends of a picture", () => {
  it("hold zero and all values, with a margin", () => {
    const [low, high] = domainWithZero([-0.6, null, -0.5, undefined], 0.02);
    assert.ok(low < -0.6 && high > 0 && high < 0.1);
  });
  it("are apart where nothing is known or all is zero", () => {
    assert.deepEqual(domainWithZero([], 0.02), [-0.02, 0.02]);
    assert.deepEqual(domainWithZero([0, 0], 0.02), [-0.02, 0.02]);
  });
  it("hold the sums of stacked parts to both sides", () => {
    const part = (value: number) => ({ name: "p", value });
    assert.deepEqual(reachOf([{ parts: [part(1), part(-0.5), part(1)] }, { parts: [part(-2)] }]), [-2, 2]);
    assert.deepEqual(reachOf([{ parts: [] }]), [0, 1]);
  });
  it("hold every histogram, and are apart for one value", () => {
    const binned = (min: number, max: number) => ({ binned: { min, max, bins: [1] } });
    assert.deepEqual(rangeOf([binned(0, 1), binned(-1, 0.5)]), [-1, 1]);
    assert.deepEqual(rangeOf([binned(2, 2)]), [1.5, 2.5]);
  });
});
