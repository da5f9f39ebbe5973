import assert from "node:assert/strict";
import { wear } from "./wear.ts";

// A standard error of 2 points: ± 1.96 · 2.
const one = { difference: 0.01, low: 0.01 - 0.0392, high: 0.01 + 0.0392, confidence: 0.95 };
const many = (n: number) => Array.from({ length: n }, () => one);

describe("wear", () => {
  it("is nothing before the first comparison, and picks nothing from one", () => {
    assert.deepEqual(
      [
        wear({ comparisons: [], gain: null, margin: 0.02 }).looks,
        wear({ comparisons: many(1), gain: 0.05, margin: 0.02 }).expectedOptimism,
      ],
      [0, 0],
    );
  });
  it("is the standard error times the largest of so many normals", () => {
    // Harter 1961: 1.5388 for ten.
    const { expectedOptimism, looks } = wear({ comparisons: many(10), gain: 0.2, margin: 0.02 });
    assert.equal(looks, 10);
    assert.ok(Math.abs(expectedOptimism - 0.02 * 1.5388) < 1e-4, `${expectedOptimism}`);
  });
  it("grows with every look", () => {
    const of = (n: number) => wear({ comparisons: many(n), gain: null, margin: 0.02 }).expectedOptimism;
    assert.ok(of(2) < of(5) && of(5) < of(50));
  });
  it("asks for a fresh draw when half of the gain may be luck, and not for less than the margin", () => {
    const due = (gain: number | null, margin = 0.02) =>
      wear({ comparisons: many(10), gain, margin }).freshDrawDue;
    assert.deepEqual([due(0.05), due(0.1), due(null), due(0.05, 0.04)], [true, false, false, false]);
    // Where nothing is gained, nothing of it can be luck.
    assert.equal(due(0), false);
    assert.match(wear({ comparisons: many(10), gain: 0, margin: 0.02 }).sentence, /3\.1 points\.$/);
    const { sentence } = wear({ comparisons: many(10), gain: 0.05, margin: 0.02 });
    assert.equal(
      sentence,
      "10 comparisons have used the selection split: the best seems better than it is by up to 3.1 points; the gain that is claimed is +5.0 points. Draw fresh selection items: more than half of the gain may come from having looked so often.",
    );
  });
});
