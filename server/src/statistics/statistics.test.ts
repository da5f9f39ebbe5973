import assert from "node:assert/strict";
import { seededRandom } from "../base/random.ts";
import { bootstrapClusters, quantileSorted } from "./bootstrap.ts";
import { comparePaired } from "./compare.ts";
import { normalQuantile } from "./normal.ts";
import type { ItemOutcomes } from "./outcomes.ts";
import { scoreOf } from "./score.ts";

/** Items with a difficulty each; k samples drawn at `shift` above that difficulty. */
function simulate(
  random: () => number,
  items: number,
  k: number,
  shift: number,
  difficulty: readonly number[],
): ItemOutcomes[] {
  return Array.from({ length: items }, (_, i) => {
    let pass = 0;
    for (let s = 0; s < k; s++) if (random() < Math.min(1, Math.max(0, (difficulty[i] ?? 0) + shift))) pass++;
    return { item: `i${i}`, pass, fail: k - pass, unknown: 0 };
  });
}

describe("normalQuantile", () => {
  for (const [p, z] of [
    [0.5, 0],
    [0.975, 1.959963985],
    [0.9, 1.281551566],
    [0.001, -3.090232306],
  ] as const)
    it(`is ${z} at ${p}`, () => assert.ok(Math.abs(normalQuantile(p) - z) < 1e-8));
});

describe("quantileSorted", () => {
  it("interpolates like type 7", () => {
    assert.equal(quantileSorted([1, 2, 3, 4], 0.5), 2.5);
    assert.equal(quantileSorted([1, 2, 3, 4], 0), 1);
    assert.equal(quantileSorted([1, 2, 3, 4], 1), 4);
  });
});

describe("bootstrapClusters", () => {
  it("gives the normal interval of a mean, by the closed form", () => {
    const random = seededRandom(7);
    const x = Array.from({ length: 400 }, () => random());
    const mean = x.reduce((s, v) => s + v, 0) / x.length;
    const sd = Math.sqrt(x.reduce((s, v) => s + (v - mean) ** 2, 0) / (x.length - 1));
    const { low, high } = bootstrapClusters(
      x.length,
      (ix) => ix.reduce((s, i) => s + (x[i] ?? 0), 0) / ix.length,
      { confidence: 0.95, resamples: 4000, seed: 1 },
    );
    const half = (1.96 * sd) / Math.sqrt(x.length);
    assert.ok(Math.abs(low - (mean - half)) < 0.1 * half, `${low}`);
    assert.ok(Math.abs(high - (mean + half)) < 0.1 * half, `${high}`);
  });
  it("is the same for the same seed", () => {
    const run = (seed: number): unknown =>
      bootstrapClusters(10, (ix) => ix[0] ?? 0, { confidence: 0.9, resamples: 50, seed });
    assert.deepEqual(run(3), run(3));
  });
});

describe("scoreOf", () => {
  const outcomes = [
    { item: "a", pass: 4, fail: 0, unknown: 0 },
    { item: "b", pass: 0, fail: 1, unknown: 1 },
    { item: "c", pass: 0, fail: 0, unknown: 2 },
  ];
  it("averages items, and leaves unknown outcomes out of the value", () => {
    const s = scoreOf(outcomes, { aggregator: "macro" });
    assert.equal(s?.value, 0.5);
    assert.deepEqual([s.items, s.rollouts, s.unknown], [2, 5, 3]);
  });
  it("averages rollouts when micro", () =>
    assert.equal(scoreOf(outcomes, { aggregator: "micro" })?.value, 0.8));
  it("bounds the score by both readings of the unknown", () => {
    const [low, high] = scoreOf(outcomes, { aggregator: "macro" })?.bounds ?? [];
    assert.ok(Math.abs((low ?? 0) - 1 / 3) < 1e-12);
    assert.ok(Math.abs((high ?? 0) - (1 + 0.5 + 1) / 3) < 1e-12);
  });
  it("has no score where nothing is known", () =>
    assert.equal(scoreOf([{ item: "c", pass: 0, fail: 0, unknown: 2 }], { aggregator: "macro" }), null));
});

describe("comparePaired", () => {
  const difficulty = Array.from({ length: 100 }, (_, i) => i / 125);
  it("tells a clear improvement", () => {
    const random = seededRandom(1);
    const c = comparePaired(
      "a",
      simulate(random, 100, 4, 0, difficulty),
      simulate(random, 100, 4, 0.2, difficulty),
      { aggregator: "macro", confidence: 0.95 },
    );
    assert.equal(c?.verdict, "improved");
    assert.ok((c.itemsNeeded ?? 1e9) < 100);
  });
  it("tells a clear regression", () => {
    const random = seededRandom(1);
    const c = comparePaired(
      "a",
      simulate(random, 100, 4, 0.2, difficulty),
      simulate(random, 100, 4, 0, difficulty),
      { aggregator: "micro", confidence: 0.95 },
    );
    assert.equal(c?.verdict, "regressed");
  });
  it("is seldom wrong when nothing changed: 2 to 9 % of 200 simulated pairs", () => {
    const random = seededRandom(11);
    let wrong = 0;
    for (let r = 0; r < 200; r++) {
      const c = comparePaired(
        "a",
        simulate(random, 60, 4, 0, difficulty),
        simulate(random, 60, 4, 0, difficulty),
        { aggregator: "macro", confidence: 0.95, resamples: 400, seed: r },
      );
      if (c?.verdict !== "inside_noise") wrong++;
    }
    assert.ok(wrong >= 4 && wrong <= 18, `${wrong} of 200`);
  });
  it("widens the interval when the best of many is taken", () => {
    const random = seededRandom(5);
    const [a, b] = [simulate(random, 50, 4, 0, difficulty), simulate(random, 50, 4, 0.1, difficulty)];
    const one = comparePaired("a", a, b, { aggregator: "macro", confidence: 0.95 });
    const ten = comparePaired("a", a, b, { aggregator: "macro", confidence: 0.95, candidates: 10 });
    assert.ok(one && ten && ten.low < one.low && ten.high > one.high);
    assert.ok(Math.abs(ten.confidence - 0.995) < 1e-12);
  });
  it("needs the items of the closed form", () => {
    // Ten items gain 1, ten lose nothing: mean 0.5, variance 0.2632; (1.96 + 0.8416)² · 0.2632 / 0.25 = 8.26.
    const a = Array.from({ length: 20 }, (_, i) => ({ item: `${i}`, pass: 0, fail: 1, unknown: 0 }));
    const b = a.map((o, i) => (i < 10 ? { ...o, pass: 1, fail: 0 } : o));
    assert.equal(comparePaired("a", a, b, { aggregator: "macro", confidence: 0.95 })?.itemsNeeded, 9);
  });
  it("compares only items that both know", () => {
    const a = [{ item: "x", pass: 1, fail: 0, unknown: 0 }];
    assert.equal(
      comparePaired("a", a, [{ item: "y", pass: 1, fail: 0, unknown: 0 }], {
        aggregator: "macro",
        confidence: 0.95,
      }),
      null,
    );
    assert.equal(
      comparePaired("a", a, [{ item: "x", pass: 0, fail: 0, unknown: 4 }], {
        aggregator: "macro",
        confidence: 0.95,
      }),
      null,
    );
  });
});
