import assert from "node:assert/strict";
import type { Score } from "../../../shared/ledger/measures.ts";
import { auditGap } from "./auditGap.ts";

const score = (value: number, half: number, more: Partial<Score> = {}): Score => ({
  ...{ metric: "solve_rate", value, low: value - half, high: value + half },
  ...{ items: 120, rollouts: 480, unknown: 0, bounds: [value, value], ...more },
});
const splits = (selection: number, audit: number, half = 0.03) => ({
  selection: score(selection, half),
  audit: score(audit, half),
});
const check = (
  own: ReturnType<typeof splits>,
  verdict: string,
  more: Partial<Parameters<typeof auditGap>[0]> = {},
): void => assert.equal(auditGap({ ...own, isChosen: true, baseline: null, ...more }).verdict, verdict);

describe("the gap between the audit and the selection split", () => {
  it("has the interval of a difference of two independent scores", () => {
    const selection = score(0.54375, 0, { low: 0.4575, high: 0.63007 });
    const audit = score(0.47083, 0, { low: 0.38796, high: 0.55301 });
    const { difference, low, high, verdict } = auditGap({ selection, audit, isChosen: true, baseline: null });
    const rounded = [difference, low, high].map((x) => Math.round(1000 * x) / 1000);
    // -0.073 - hypot(0.0829, 0.0863) and -0.073 + hypot(0.0822, 0.0863)
    assert.deepEqual([...rounded, verdict], [-0.073, -0.193, 0.046, "inside_noise"]);
  });

  it("may be of overfitting where a version was chosen and its audit is lower by more than the noise", () =>
    check(splits(0.6, 0.5), "overfits"));

  it("is of the items where a baseline that was audited lies as far below", () => {
    check(splits(0.6, 0.5), "harder", { baseline: splits(0.4, 0.3) });
    check(splits(0.6, 0.5), "overfits", { baseline: splits(0.4, 0.41) });
  });

  it("is of the items in a baseline, which nothing was chosen by", () =>
    check(splits(0.6, 0.5), "harder", { isChosen: false }));

  it("is no fault where the audit is higher", () => check(splits(0.5, 0.6), "easier"));

  it("is inside the noise where what is unknown explains it", () => {
    const selection = score(0.6, 0.03, { unknown: 90, outer: [0.45, 0.63] });
    check({ ...splits(0.6, 0.5), selection }, "inside_noise");
  });
});
