import assert from "node:assert/strict";
import { wilson } from "../../statistics/intervals/proportions.ts";
import { estimate } from "./estimate.ts";

describe("the estimate of a judge", () => {
  const alert = { metric: "rate", above: 0.2, critical: 0.5 } as const;
  const of = (asked: number, labelled: number, clear: number, unanswered = 0) =>
    estimate({ of: 1000, asked, labelled, clear, unanswered }, alert);

  it("has Wilson's interval when every rollout was decided", () =>
    assert.deepEqual(of(50, 20, 30).rate, { value: 0.4, ...wilson({ share: 0.4, size: 50 }) }));

  it("extends both ways by the rollouts that were not decided", () => {
    const found = of(50, 20, 20, 4);
    assert.equal(found.undecided, 6);
    assert.ok(found.rate);
    assert.equal(found.rate.value, 0.5);
    assert.equal(found.rate.low, wilson({ share: 0.4, size: 50 }).low);
    assert.equal(found.rate.high, wilson({ share: 0.6, size: 50 }).high);
  });

  it("raises an alert when the whole interval is above a threshold", () => {
    assert.deepEqual(
      [of(50, 11, 39), of(50, 20, 30), of(50, 40, 10)].map((e) => e.alert),
      [null, "warning", "critical"],
    );
  });

  it("says nothing when no rollout was decided", () => {
    const found = of(5, 0, 0, 5);
    assert.deepEqual([found.rate, found.alert, found.undecided], [null, null, 0]);
  });
});
