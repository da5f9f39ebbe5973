import assert from "node:assert/strict";
import { seededRandom } from "../../base/random.ts";
import { moments } from "../distributions/moments.ts";
import { noiseFloor } from "../intervals/noiseFloor.ts";
import { normalQuantile } from "../../../../shared/model/normalQuantile.ts";
import { detectableEffect, itemsForEffect, pairedPower, seedsForEffect } from "./power.ts";
import { studentQuantile } from "../distributions/student.ts";
import { varianceParts } from "../scores/varianceParts.ts";

describe("the power of a paired comparison", () => {
  // The non-central t distribution of SciPy 1.17.1: the first n with nct.sf(t, n − 1, d √n) + nct.cdf(−t, …) ≥ power.
  for (const [effect, power, items] of [
    [0.5, 0.8, 34],
    [0.5, 0.95, 54],
    [0.2, 0.8, 199],
    [0.8, 0.8, 15],
  ] as const)
    it(`needs ${items} items for an effect of ${effect} sd and a power of ${power}`, () => {
      assert.deepEqual(itemsForEffect({ effect, sd: 1 }, { confidence: 0.95, power }), {
        type: "known",
        items,
      });
      assert.deepEqual(itemsForEffect({ effect: -effect * 7, sd: 7 }, { confidence: 0.95, power }), {
        type: "known",
        items,
      });
    });
  it("matches the manual of G*Power 3.1: dz = 0.421637, 50 pairs, 0.832114", () =>
    assert.ok(Math.abs(pairedPower({ effect: 0.421637, sd: 1, n: 50 }, 0.95) - 0.832114) < 1e-5));
  it("approaches the textbook z formula for many items", () => {
    const z = normalQuantile(0.975) + normalQuantile(0.8);
    const answer = itemsForEffect({ effect: 0.01, sd: 1 }, { confidence: 0.95, power: 0.8 });
    assert.ok(answer.type === "known" && Math.abs(answer.items / (z / 0.01) ** 2 - 1) < 1e-3);
  });
  it("equals the level of the test when there is no effect", () => {
    for (const n of [3, 10, 1000])
      assert.ok(Math.abs(pairedPower({ effect: 0, sd: 1, n }, 0.95) - 0.05) < 1e-5);
  });
  it("agrees with 4000 simulated t tests, within four standard errors", () => {
    const random = seededRandom(9);
    const normal = (): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    const [n, effect, runs] = [20, 0.6, 4000];
    const critical = studentQuantile(0.975, n - 1);
    let found = 0;
    for (let r = 0; r < runs; r++) {
      const { mean, variance } = moments(Array.from({ length: n }, () => effect + normal()));
      if (Math.abs(mean) > critical * Math.sqrt(variance / n)) found++;
    }
    const expected = pairedPower({ effect, sd: 1, n }, 0.95);
    const error = Math.sqrt((expected * (1 - expected)) / runs);
    assert.ok(Math.abs(found / runs - expected) < 4 * error, `${found / runs}, not ${expected}`);
  });
  it("gives the smallest detectable effect as the effect that needs exactly this many items", () => {
    const answer = detectableEffect({ sd: 0.3, n: 77 }, { confidence: 0.95, power: 0.8 });
    assert.ok(answer.type === "known");
    assert.ok(Math.abs(pairedPower({ effect: answer.effect, sd: 0.3, n: 77 }, 0.95) - 0.8) < 1e-8);
  });
  for (const [what, answer, reason] of [
    ["no effect", itemsForEffect({ effect: 0, sd: 1 }, { confidence: 0.95, power: 0.8 }), "no_effect"],
    ["no spread", itemsForEffect({ effect: 1, sd: 0 }, { confidence: 0.95, power: 0.8 }), "no_spread"],
    [
      "a tiny effect",
      itemsForEffect({ effect: 1e-9, sd: 1 }, { confidence: 0.95, power: 0.8 }),
      "never_enough",
    ],
    ["one item", detectableEffect({ sd: 1, n: 1 }, { confidence: 0.95, power: 0.8 }), "one_item"],
  ] as const)
    it(`cannot be computed for ${what}`, () =>
      assert.equal(answer.type === "refused" && answer.reason, reason));
});

describe("seedsForEffect", () => {
  const options = { confidence: 0.95, power: 0.8 };
  it("adds seeds until their spread is small beside the spread of the items", () => {
    // (1.96 + 0.8416)² = 7.849; (0.05)² / 7.849 − 0.2² / 400 = 0.0002185; 2 · 0.02² / 0.0002185 = 3.66.
    assert.deepEqual(seedsForEffect({ effect: 0.05, sd: 0.2, n: 400, seedSd: 0.02 }, options), {
      type: "known",
      seeds: 4,
    });
  });
  it("says when more items are needed first", () => {
    const answer = seedsForEffect({ effect: 0.02, sd: 0.2, n: 100, seedSd: 0.02 }, options);
    assert.equal(answer.type === "refused" && answer.reason, "never_enough");
    assert.equal(seedsForEffect({ effect: 0, sd: 0.2, n: 100, seedSd: 0 }, options).type, "refused");
  });
});

describe("varianceParts", () => {
  it("separates what samples add, p (1 − p) / (k − 1) for each version, by hand", () => {
    // Item 1: 1/2 and 1/2, noise .25 + .25; item 2: 0/2 and 2/2, none. Differences 0 and 1: variance 0.5.
    const pairs = [
      { a: { pass: 1, known: 2 }, b: { pass: 1, known: 2 } },
      { a: { pass: 0, known: 2 }, b: { pass: 2, known: 2 } },
    ];
    assert.deepEqual(varianceParts(pairs), { type: "known", between: 0.25, sampling: 0.25 });
  });
  it("refuses items with single samples, and a single item", () => {
    const one = { a: { pass: 1, known: 1 }, b: { pass: 0, known: 1 } };
    const answer = varianceParts([one, one]);
    assert.equal(answer.type === "refused" && answer.reason, "too_few_samples");
    assert.equal(varianceParts([one]).type, "refused");
  });
});

describe("noiseFloor", () => {
  it("is t · sd · √2, with the chi-square limit of the sd", () => {
    const floor = noiseFloor([0.3, 0.32, 0.34]);
    assert.ok(floor.type === "known");
    assert.ok(Math.abs(floor.sd - 0.02) < 1e-12);
    assert.ok(Math.abs(floor.difference - 4.302653 * 0.02 * Math.SQRT2) < 1e-7);
    assert.ok(Math.abs(floor.sdHigh - 0.02 * Math.sqrt(2 / 0.102587)) < 1e-6);
  });
  for (const [scores, reason] of [
    [[], "nothing_measured"],
    [[0.3], "one_run"],
    [[0.3, 0.3, 0.3], "no_spread"],
  ] as const)
    it(`refuses ${scores.length} runs: ${reason}`, () => {
      const answer = noiseFloor(scores);
      assert.equal(answer.type === "refused" && answer.reason, reason);
    });
});
