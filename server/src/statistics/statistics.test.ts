import assert from "node:assert/strict";
import { seededRandom } from "../base/random.ts";
import fc from "fast-check";
import type { Outcome } from "../../../shared/model/rollout.ts";
import { fuzzRuns } from "../../../test/support/base/fuzz.ts";
import { comparePaired } from "./comparison/compare.ts";
import { collectOutcomes, type ItemOutcomes } from "./scores/outcomes.ts";
import { whyNotPaired } from "./scores/pairs.ts";
import { quantileSorted } from "./distributions/quantile.ts";
import { scoreOf } from "./scores/score.ts";

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

describe("quantileSorted", () => {
  it("interpolates like type 7", () => {
    assert.equal(quantileSorted([1, 2, 3, 4], 0.5), 2.5);
    assert.equal(quantileSorted([1, 2, 3, 4], 0), 1);
    assert.equal(quantileSorted([1, 2, 3, 4], 1), 4);
  });
});

describe("scoreOf", () => {
  it("limits the score of items that all pass by what n items could have missed", () => {
    const all = Array.from({ length: 40 }, (_, i) => ({ item: `${i}`, pass: 4, fail: 0, unknown: 0 }));
    const s = scoreOf(all, { aggregator: "macro" });
    // Clopper and Pearson 1934: 0.025^(1/40).
    assert.ok(s !== null && s.value === 1 && Math.abs(s.low - 0.025 ** (1 / 40)) < 1e-9 && s.high === 1);
    assert.deepEqual(s.doubts, ["no_spread"]);
  });
  it("has an interval close to the binomial one when each item has one sample", () => {
    // 30 of 100: Wilson's interval is [0.219, 0.396] (Wilson 1927).
    const each = Array.from({ length: 100 }, (_, i) => ({
      item: `${i}`,
      pass: i < 30 ? 1 : 0,
      fail: i < 30 ? 0 : 1,
      unknown: 0,
    }));
    const s = scoreOf(each, { aggregator: "macro" });
    assert.ok(
      s !== null && Math.abs(s.low - 0.219) < 0.015 && Math.abs(s.high - 0.396) < 0.015,
      JSON.stringify(s),
    );
    assert.deepEqual(s.doubts, []);
  });
  const outcomes = [
    { item: "a", pass: 4, fail: 0, unknown: 0 },
    { item: "b", pass: 0, fail: 1, unknown: 1 },
    { item: "c", pass: 0, fail: 0, unknown: 2 },
  ];
  it("averages items, and leaves out unknown outcomes", () => {
    const s = scoreOf(outcomes, { aggregator: "macro" });
    assert.equal(s?.value, 0.5);
    assert.deepEqual([s.items, s.rollouts, s.unknown], [2, 5, 3]);
  });
  it("averages rollouts when micro", () =>
    assert.equal(scoreOf(outcomes, { aggregator: "micro" })?.value, 0.8));
  it("limits the score by both readings of the unknown outcomes", () => {
    const [low, high] = scoreOf(outcomes, { aggregator: "macro" })?.bounds ?? [];
    assert.ok(Math.abs((low ?? 0) - 1 / 3) < 1e-12);
    assert.ok(Math.abs((high ?? 0) - (1 + 0.5 + 1) / 3) < 1e-12);
  });
  it("has no score if no outcome is known", () =>
    assert.equal(scoreOf([{ item: "c", pass: 0, fail: 0, unknown: 2 }], { aggregator: "macro" }), null));
});

describe("comparePaired", () => {
  const difficulty = Array.from({ length: 100 }, (_, i) => i / 125);
  it("finds a clear improvement", () => {
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
  it("finds a clear regression", () => {
    const random = seededRandom(1);
    const c = comparePaired(
      "a",
      simulate(random, 100, 4, 0.2, difficulty),
      simulate(random, 100, 4, 0, difficulty),
      { aggregator: "micro", confidence: 0.95 },
    );
    assert.equal(c?.verdict, "regressed");
  });
  it("widens the interval when the best of many is chosen", () => {
    const random = seededRandom(5);
    const [a, b] = [simulate(random, 50, 4, 0, difficulty), simulate(random, 50, 4, 0.1, difficulty)];
    const one = comparePaired("a", a, b, { aggregator: "macro", confidence: 0.95 });
    const ten = comparePaired("a", a, b, { aggregator: "macro", confidence: 0.95, candidates: 10 });
    assert.ok(one && ten && ten.low < one.low && ten.high > one.high);
    assert.ok(Math.abs(ten.confidence - 0.995) < 1e-12);
  });
  it("needs as many items as the closed form says, and says what it can find", () => {
    // Ten items gain 1, ten nothing: mean 0.5, sd 0.513, an effect of 0.975 sd; SciPy's non-central t asks for 11 pairs.
    const a = Array.from({ length: 20 }, (_, i) => ({ item: `${i}`, pass: 0, fail: 1, unknown: 0 }));
    const b = a.map((o, i) => (i < 10 ? { ...o, pass: 1, fail: 0 } : o));
    const c = comparePaired("a", a, b, { aggregator: "macro", confidence: 0.95 });
    assert.equal(c?.itemsNeeded, 11);
    assert.ok((c.detectable ?? 0) > 0.3 && (c.detectable ?? 1) < 0.4);
    assert.equal(c.seedsNeeded, null);
  });
  it("gives the same difference for micro and macro when all items have equally many samples", () => {
    const random = seededRandom(2);
    const [a, b] = [simulate(random, 50, 4, 0, difficulty), simulate(random, 50, 4, 0.1, difficulty)];
    const [macro, micro] = (["macro", "micro"] as const).map((aggregator) =>
      comparePaired("a", a, b, { aggregator, confidence: 0.95 }),
    );
    assert.ok(macro && micro);
    assert.ok(Math.abs(macro.difference - micro.difference) < 1e-12);
    assert.ok(Math.abs(macro.low - micro.low) < 1e-12 && Math.abs(macro.high - micro.high) < 1e-12);
  });
});

describe("comparePaired with little to compare", () => {
  const item = (i: number, pass: number, fail: number, unknown = 0): ItemOutcomes => ({
    item: `i${i}`,
    pass,
    fail,
    unknown,
  });
  const many = (n: number, of: (i: number) => readonly [number, number, number?]): ItemOutcomes[] =>
    Array.from({ length: n }, (_, i) => item(i, ...of(i)));
  const compare = (a: readonly ItemOutcomes[], b: readonly ItemOutcomes[]) =>
    comparePaired("a", a, b, { aggregator: "macro", confidence: 0.95 });
  const q = (n: number): number => 1 - 0.025 ** (1 / n);

  for (const [what, a, b, expected] of [
    [
      "one item: nearly anything is possible",
      many(1, () => [0, 8]),
      many(1, () => [8, 0]),
      { low: 1 - 2 * q(1), high: 1, verdict: "inside_noise", doubts: ["one_item", "one_seed"] },
    ],
    [
      "no spread: what a share unseen among 50 items could do",
      many(50, () => [2, 2]),
      many(50, () => [2, 2]),
      { low: -q(50), high: q(50), verdict: "inside_noise", doubts: ["no_spread", "one_seed"] },
    ],
    [
      "every item solved at once",
      many(50, () => [0, 4]),
      many(50, () => [4, 0]),
      { low: 1 - 2 * q(50), high: 1, verdict: "improved", doubts: ["no_spread", "one_seed"] },
    ],
    [
      "four fixes in 200 items, of which resampling alone would be sure (exact test: p = 0.125)",
      many(200, () => [0, 1]),
      many(200, (i) => (i < 4 ? [1, 0] : [0, 1])),
      { low: -q(200), high: 0.0504, verdict: "inside_noise", doubts: ["few_differ", "one_seed"] },
    ],
  ] as const)
    it(what, () => {
      const c = compare(a, b);
      assert.ok(c !== null);
      assert.deepEqual([c.verdict, c.doubts], [expected.verdict, expected.doubts]);
      assert.ok(
        Math.abs(c.low - expected.low) < 1e-4 && Math.abs(c.high - expected.high) < 1e-4,
        `${c.low} ${c.high}`,
      );
      assert.deepEqual([c.method, c.itemsNeeded, c.detectable], ["exact bound", null, null]);
    });

  it("gives no verdict on 15 items that only seem conclusive, and gives one when nothing else is possible", () => {
    const seems = compare(
      many(15, (i) => [i % 3, 8]),
      many(15, (i) => [(i % 3) + (i % 4), 8]),
    );
    assert.ok(seems !== null && seems.low > 0);
    assert.deepEqual([seems.verdict, seems.doubts], ["inside_noise", ["too_few_items", "one_seed"]]);
    const certain = compare(
      many(15, () => [0, 8]),
      many(15, (i) => [i === 0 ? 7 : 8, 0]),
    );
    assert.equal(certain?.verdict, "improved");
  });

  it("says why there are no pairs", () => {
    const some = many(2, () => [1, 1]);
    const blind = many(2, () => [0, 0, 3]);
    const elsewhere = [item(9, 1, 0)];
    for (const [a, b, reason] of [
      [some, some, null],
      [[], some, "nothing_measured"],
      [some, blind, "all_unknown"],
      [blind, some, "all_unknown"],
      [some, elsewhere, "no_common_item"],
    ] as const) {
      const why = whyNotPaired({ name: "v1", outcomes: a }, { name: "v2", outcomes: b }, "macro");
      assert.equal(why?.reason ?? null, reason);
      assert.equal(compare(a, b) === null, reason !== null);
    }
  });

  it("shows in an outer interval what the unknown outcomes could do, and doubts a verdict that they could change", () => {
    const a = many(60, (i) => (i % 2 === 0 ? [1, 3] : [2, 2]));
    const known = many(60, (i) => [2 + (i % 3 === 0 ? 1 : 0), 1]);
    const c = compare(a, known);
    assert.ok(c?.verdict === "improved" && c.outer === undefined);
    const blinded = compare(
      a,
      many(60, (i) => [2 + (i % 3 === 0 ? 1 : 0), 1, 8]),
    );
    assert.ok(blinded?.outer !== undefined && blinded.doubts?.includes("unknown_matter") === true);
    assert.ok(blinded.outer[0] < blinded.low && blinded.outer[1] > blinded.high);
    // All unknown fail in b: 2 or 3 of 11 or 12; the end lies below that point by its sampling error.
    const worst = (2 / 3) * (2 / 11) + (1 / 3) * (3 / 12) - 0.375;
    assert.ok(blinded.outer[0] < worst && blinded.outer[0] > worst - 0.1, `${blinded.outer[0]} ${worst}`);
  });

  it("widens the interval by the spread of seeds, and counts the seeds that would be needed", () => {
    /** 20 samples of each item and seed, of which the seed's rate passes, more for easier items, and `gain(item)`. */
    const seeded = (rates: readonly number[], gain: (item: number) => number): ItemOutcomes[] =>
      collectOutcomes(
        Array.from({ length: 60 * rates.length * 20 }, (_, n) => {
          const [sample, seed, i] = [
            n % 20,
            Math.floor(n / 20) % rates.length,
            Math.floor(n / 20 / rates.length),
          ];
          const passes = Math.round(20 * (rates[seed] ?? 0)) + (i % 5) + gain(i);
          return { item: `i${i}`, seed, outcome: sample < passes ? ("pass" as const) : ("fail" as const) };
        }),
      );
    const gain = (i: number): number => (i % 3 === 0 ? 2 : 3);
    const c = compare(
      seeded([0.3, 0.4, 0.5], () => 0),
      seeded([0.3, 0.4, 0.5], gain),
    );
    assert.ok(c !== null);
    // Items gain 0.1 or 0.15; the seeds of both have a variance of 0.01: t with 4 degrees times √(0.01 · 2/3).
    assert.ok(Math.abs(c.high - c.difference - 2.776 * Math.sqrt(0.02 / 3)) < 0.005, JSON.stringify(c));
    assert.deepEqual([c.verdict, c.seeds, c.doubts], ["inside_noise", [3, 3], []]);
    // (1.96 + 0.8416)² · 2 · 0.01 / (0.4 / 3)² = 8.83, and the items' own spread adds nothing that counts.
    assert.equal(c.seedsNeeded, 9);
    const two = compare(
      seeded([0.3, 0.5], () => 0),
      seeded([0.3, 0.5], gain),
    );
    assert.deepEqual(two?.doubts, ["few_seeds"]);
  });

  it("gives a finite interval within its range, whatever the outcomes", () =>
    fc.assert(
      fc.property(
        fc.array(fc.tuple(...Array.from({ length: 6 }, () => fc.nat(3))), { minLength: 1, maxLength: 40 }),
        fc.constantFrom("macro" as const, "micro" as const),
        (rows, aggregator) => {
          const side = (at: number): ItemOutcomes[] =>
            rows.map((r, i) => item(i, r[at] ?? 0, r[at + 1] ?? 0, r[at + 2] ?? 0));
          const options = { aggregator, confidence: 0.95, resamples: 200 };
          const c = comparePaired("a", side(0), side(3), options);
          const s = scoreOf(side(0), options);
          for (const numbers of [
            c === null ? [] : [-1, c.low, c.high, 1],
            c?.outer === undefined ? [] : [-1, c.outer[0], c.low, c.high, c.outer[1], 1],
            s === null ? [] : [0, s.low, s.high, 1],
            s?.outer === undefined ? [] : [0, s.outer[0], s.outer[1], 1],
            s === null ? [] : [0, s.bounds[0], s.value, s.bounds[1], 1],
          ])
            for (const [i, x] of numbers.entries())
              assert.ok(Number.isFinite(x) && x >= (numbers[i - 1] ?? -1) - 1e-9, JSON.stringify([c, s]));
        },
      ),
      { numRuns: fuzzRuns() },
    ));

  it("stays finite for any seeds, with outcomes missing or unknown", () =>
    fc.assert(
      fc.property(
        fc.tuple(
          fc.integer({ min: 1, max: 4 }),
          fc.integer({ min: 1, max: 4 }),
          fc.integer({ min: 1, max: 25 }),
        ),
        fc.infiniteStream(fc.constantFrom<Outcome | null>("pass", "pass", "fail", "unknown", null)),
        ([seedsA, seedsB, items], stream) => {
          const side = (seeds: number): ItemOutcomes[] =>
            collectOutcomes(
              Array.from({ length: items * seeds }, (_, n) => n).flatMap((n) => {
                const [outcome = null] = stream.take(1);
                const seed = n % seeds === 0 ? null : n % seeds;
                return outcome === null ? [] : [{ item: `i${Math.floor(n / seeds)}`, seed, outcome }];
              }),
            );
          const [a, b] = [side(seedsA), side(seedsB)];
          const plain = b.map(({ bySeed, ...counts }) => (bySeed === undefined ? counts : counts));
          for (const other of [b, plain]) {
            const c = comparePaired("a", a, other, { aggregator: "macro", confidence: 0.95, resamples: 100 });
            if (c === null) continue;
            const ends = [-1, c.low, c.difference, c.high, 1];
            assert.ok(
              ends.every((x, i) => Number.isFinite(x) && x >= (ends[i - 1] ?? -1) - 1e-9),
              JSON.stringify(c),
            );
          }
        },
      ),
      { numRuns: fuzzRuns() },
    ));
});
