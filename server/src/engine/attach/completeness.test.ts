import assert from "node:assert/strict";
import { completenessOf, wholeSteps } from "./completeness.ts";

const steps = (...sizes: number[]) => sizes.map((rollouts, i) => ({ step: i + 1, rollouts }));

describe("whether a step is complete", () => {
  it("goes by the steps before it, and by whether its files grow", () => {
    assert.equal(completenessOf([], 100), undefined);
    const of = (sizes: number[], quietFor: number | null): unknown => {
      const { isComplete, expected } = completenessOf(steps(...sizes), quietFor) ?? {};
      return [isComplete, expected];
    };
    assert.deepEqual(of([8], 60), [true, null]);
    assert.deepEqual(of([8], 1), [false, null]);
    assert.deepEqual(of([8], null), [true, null]);
    assert.deepEqual(of([8, 7], 60), [false, 8]);
    assert.deepEqual(of([8, 8], 60), [true, 8]);
    assert.deepEqual(of([8, 8], 9), [false, 8]);
    // Larger steps of long ago say nothing.
    assert.deepEqual(of([64, 64, 64, 8, 8, 8, 8, 8, 8], 60), [true, 8]);
    // One odd step neither.
    assert.deepEqual(of([8, 8, 20, 8, 8, 8], 60), [true, 8]);
  });

  it("only counts steps as whole that nothing more comes of", () => {
    assert.deepEqual(wholeSteps([]), []);
    assert.deepEqual(wholeSteps(steps(8)), [1]);
    assert.deepEqual(wholeSteps(steps(8, 3)), [1]);
    assert.deepEqual(wholeSteps(steps(8, 3, 8)), [1, 2, 3]);
  });
});
