import assert from "node:assert/strict";
import { probabilityOfImprovement } from "./comparison/improvement.ts";
import { iqm } from "./scores/iqm.ts";
import { itemInterval } from "./intervals/itemInterval.ts";
import { performanceProfile } from "./comparison/profiles.ts";
import { iqmScore } from "./scores/robustScore.ts";

// Definitions of Agarwal et al. 2021, "Deep Reinforcement Learning at the Edge of the Statistical Precipice".
describe("iqm", () => {
  for (const [what, values, expected] of [
    // scipy.stats.trim_mean(range(10), 0.25): two cut at each end.
    ["ten values", [9, 8, 7, 6, 5, 4, 3, 2, 1, 0], 4.5],
    ["an outlier", [1, 2, 3, 4, 1000], 3],
    ["too few to cut", [1, 2, 6], 3],
    ["one value", [0.4], 0.4],
  ] as const)
    it(`cuts a quarter, rounded down, from each end: ${what}`, () => assert.equal(iqm(values), expected));
});

describe("iqmScore", () => {
  it("has the interval of every way to draw the runs of a task", () => {
    // One task, runs 0 and 1: resampled they are 00, 01, 10, 11 and the IQM of two values is their mean.
    const score = iqmScore([[0, 1]], { resamples: 4000 });
    assert.deepEqual(score, { type: "known", value: 0.5, low: 0, high: 1, tasks: 1 });
  });
  it("keeps the tasks fixed: if the runs of each task agree, there is no spread, however different the tasks are", () => {
    const score = iqmScore([
      [0, 0],
      [1, 1],
    ]);
    assert.deepEqual(score, { type: "known", value: 0.5, low: 0.5, high: 0.5, tasks: 2 });
  });
  it("refuses a single run for each task, and no tasks", () => {
    const once = iqmScore([[0.3], [0.4]]);
    assert.equal(once.type === "refused" && once.reason, "one_run");
    assert.equal(iqmScore([]).type, "refused");
    assert.equal(iqmScore([[]]).type, "refused");
  });
});

describe("probabilityOfImprovement", () => {
  const x = [[1, 2, 3], [5]];
  const y = [
    [2, 2, 4],
    [1, 1],
  ];
  it("is the mean over tasks of the share of pairs that X wins, with a tie as one half", () => {
    // First task: 1 wins nothing, 2 ties twice, 3 wins twice: 3 of 9. Second task: all.
    const answer = probabilityOfImprovement(x, y);
    assert.ok(answer.type === "known" && Math.abs(answer.value - (3 / 9 + 1) / 2) < 1e-15);
    assert.ok(answer.low <= answer.value && answer.value <= answer.high);
    assert.ok((answer.overRuns?.low ?? 0) >= 0.5, "over runs the second task is always won");
    const reverse = probabilityOfImprovement(y, x);
    assert.ok(reverse.type === "known" && Math.abs(answer.value + reverse.value - 1) < 1e-15);
  });
  for (const [what, a, b, reason] of [
    ["different tasks", [[1]], [[1], [2]], "not_comparable"],
    ["a task without a run", [[]], [[1]], "nothing_measured"],
  ] as const)
    it(`refuses ${what}`, () => {
      const answer = probabilityOfImprovement(a, b);
      assert.equal(answer.type === "refused" && answer.reason, reason);
    });
});

describe("probabilityOfImprovement over tasks", () => {
  const many = <T>(n: number, of: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => of(i));
  it("is half of one plus the mean margin, with the interval of that paired difference", () => {
    const x = many(100, (i) => [i % 4 === 0 ? 0 : 1]);
    const y = many(100, (i) => [i % 2]);
    // Of four tasks one is lost or tied as (0, 0), two are (1, 1), one is won as (1, 0).
    const answer = probabilityOfImprovement(x, y);
    assert.ok(answer.type === "known" && Math.abs(answer.value - 0.625) < 1e-12);
    const margins = Float64Array.from(x, ([a = 0], i) => a - (y[i]?.[0] ?? 0));
    const { low, high } = itemInterval(margins, "difference", { confidence: 0.95, resamples: 2000, seed: 1 });
    assert.deepEqual([answer.low, answer.high], [(1 + low) / 2, (1 + high) / 2]);
    assert.equal(answer.overRuns, null);
  });
  it("does not call one task, or several tasks that agree, certain", () => {
    for (const [n, doubt] of [
      [1, "one_item"],
      [50, "no_spread"],
    ] as const) {
      const answer = probabilityOfImprovement(
        many(n, () => [1]),
        many(n, () => [0]),
      );
      assert.ok(answer.type === "known" && answer.value === 1 && answer.low < 1);
      assert.deepEqual(answer.doubts, [doubt]);
    }
  });
});

describe("performanceProfile", () => {
  const scores = [
    [0.1, 0.5],
    [0.5, 0.9],
  ];
  it("is the share of runs above each threshold, with equal weight for each task", () => {
    const answer = performanceProfile(scores, [0, 0.4, 0.5, 0.95]);
    assert.ok(answer.type === "known");
    assert.deepEqual(
      answer.points.map((p) => p.share),
      [1, 0.75, 0.25, 0],
    );
    // Above 0.5 are no run of the first task and 0, 1 or 2 of two draws of the second.
    assert.deepEqual([answer.points[2]?.low, answer.points[2]?.high], [0, 0.5]);
    assert.deepEqual([answer.points[0]?.low, answer.points[0]?.high], [1, 1]);
  });
  it("has no bands for one run each, and no answer for a task without a run", () => {
    assert.deepEqual(performanceProfile([[1], [0]], [0.5]), {
      type: "known",
      points: [{ threshold: 0.5, share: 0.5, low: null, high: null }],
    });
    assert.equal(performanceProfile([[1], []], [0.5]).type, "refused");
  });
});
