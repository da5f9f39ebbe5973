import assert from "node:assert/strict";
import fc from "fast-check";
import { chanceOf, chanceOfLook } from "./errorSpending.ts";

const rules = { errorRate: 0.05, candidates: 20 };

describe("the error rate", () => {
  it("is shared equally among the planned candidates", () => {
    const first = chanceOf({ place: 1, keptBefore: 0 }, rules);
    assert.ok(Math.abs(first - 0.00225) < 1e-12);
    assert.equal(chanceOf({ place: 20, keptBefore: 0 }, rules), first);
  });
  it("has one share more for each kept version, and never more than all of it", () => {
    const one = chanceOf({ place: 5, keptBefore: 0 }, rules);
    assert.ok(Math.abs(chanceOf({ place: 5, keptBefore: 3 }, rules) - 4 * one) < 1e-12);
    assert.equal(chanceOf({ place: 20, keptBefore: 500 }, rules), 0.05);
  });
  it("is not overspent while nothing is kept, however long the evolution goes on", () =>
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 1, max: 3000 }),
        (candidates, length) => {
          let spent = 0;
          for (let place = 1; place <= length; place++)
            spent += chanceOf({ place, keptBefore: 0 }, { errorRate: 0.05, candidates });
          assert.ok(spent <= 0.05 + 1e-12, `${spent}`);
        },
      ),
      { numRuns: 60 },
    ));
  it("is spent by the looks of a candidate, all of it and not more", () =>
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20 }), (most) => {
        let spent = 0;
        for (let look = 0; look < most + 3; look++) {
          const level = chanceOfLook(0.01, look, most);
          assert.ok(level >= 0);
          spent += level;
        }
        assert.ok(Math.abs(spent - 0.01) < 1e-12);
      }),
    ));
});
