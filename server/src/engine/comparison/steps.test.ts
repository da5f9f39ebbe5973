import assert from "node:assert/strict";
import type { RolloutSummary } from "../../evidence/queries/query.ts";
import { collectOutcomes } from "../../statistics/scores/outcomes.ts";
import { bestStepOf } from "./steps.ts";

/** Rollouts of 25 items at each step; more of them pass at the later steps. They count how often they are gone through. */
function sampled(steps: number): { rollouts: readonly RolloutSummary[]; passes: () => number } {
  const list = Array.from({ length: steps }, (_, step) =>
    Array.from({ length: 25 }, (_unused, item) => {
      const outcome = item * steps < 25 * (step + 1) ? "pass" : "fail";
      return { item: `i${item}`, step, run: "r", outcome, version: "v1" } as unknown as RolloutSummary;
    }),
  ).flat();
  let begun = 0;
  const iterate = list[Symbol.iterator].bind(list);
  list[Symbol.iterator] = () => {
    begun++;
    return iterate();
  };
  const filter = list.filter.bind(list);
  list.filter = ((...args: Parameters<typeof filter>) => {
    begun++;
    return filter(...args);
  }) as typeof list.filter;
  return { rollouts: list, passes: () => begun };
}

describe("the best of the evaluations of a version", () => {
  it("is found in one pass over the rollouts, however many steps they are of", () => {
    const { rollouts, passes } = sampled(300);
    const outcomes = collectOutcomes(rollouts);
    const before = passes();
    const steps = Array.from({ length: 300 }, (_, step) => step);
    const best = bestStepOf({ name: "v1", rollouts, outcomes, steps, step: null }, "macro");
    assert.equal(best?.type, "known");
    assert.equal(best.value, 1);
    assert.ok(best.step >= 287, String(best.step));
    assert.ok(passes() - before <= 1, `${passes() - before} passes`);
  });
});
