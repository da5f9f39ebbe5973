import assert from "node:assert/strict";
import fc from "fast-check";
import { around, seeded } from "../../../../test/support/decision/seededOutcomes.ts";
import { compareWithNoise } from "./noisyComparison.ts";
import { replicate } from "./replicate.ts";
import { screen } from "./screen.ts";
import { seedNoise, unknownNoise } from "./seedNoise.ts";
import type { ReplicateInput, Tested, TestingRules } from "./testing.ts";

const rules: TestingRules = { metric: "macro", errorRate: 0.05, seeds: 3, candidates: 8, margin: 0.02 };
const quiet = [0.01, 0, -0.01];
const loud = [0.12, 0, -0.12];
const parentOf = (seeds: readonly number[]): Tested => seeded("v1", { rate: around(0.4), seeds, draw: 3 });
const candidateOf = (gain: number, seeds: readonly number[]): Tested =>
  seeded("v2", { rate: around(0.4 + gain), seeds, draw: 4 });
const others = (seeds: readonly number[]): Tested[] =>
  [5, 6].map((draw) => seeded(`o${draw}`, { rate: around(0.4), seeds, draw }));

function replicated(gain: number, seeds: readonly number[], change: Partial<ReplicateInput> = {}) {
  const [parent, candidate] = [parentOf(seeds), candidateOf(gain, seeds)];
  const noise = seedNoise([parent, candidate, ...others(seeds)], "macro");
  const plan = { place: 1, keptBefore: 0, looksDone: seeds.length - 2, looksAtMost: 2 };
  return replicate({ candidate, parent, noise, rules, ...plan, ...change });
}

describe("screen", () => {
  const noise = seedNoise(others(quiet), "macro");
  for (const [what, gain, verdict, says] of [
    ["a gain", 0.1, "screened", /^Looks better on its first seed: \+\d+\.\d points \[.*\] against v1\. More/],
    ["nothing", -0.01, "reject", /^Does not look better on its first seed: /],
    ["a loss", -0.2, "reject", /^Worse on its first seed: −\d+/],
  ] as const)
    it(`answers ${what} with ${verdict}`, () => {
      const found = screen({ candidate: candidateOf(gain, [0]), parent: parentOf([0]), noise, rules });
      assert.equal(found.verdict, verdict);
      assert.match(found.reason, says);
    });
  it("asks for more where seeds are known to differ a lot", () => {
    const found = (of: readonly number[]) =>
      screen({
        candidate: candidateOf(0.13, [0]),
        parent: parentOf([0]),
        noise: seedNoise(others(of), "macro"),
        rules,
      });
    assert.deepEqual([found(quiet).verdict, found(loud).verdict], ["screened", "reject"]);
  });
  it("rejects what has no item in common with its parent", () => {
    const found = screen({ candidate: { name: "v2", outcomes: [] }, parent: parentOf([0]), noise, rules });
    assert.equal(found.verdict, "reject");
    assert.equal(found.comparison, null);
    assert.match(found.reason, /^No item has a known outcome in both v2 and v1/);
  });
});

describe("replicate", () => {
  it("keeps a gain that three seeds show", () => {
    const found = replicated(0.15, quiet);
    assert.equal(found.verdict, "keep");
    assert.ok(found.p <= found.level && (found.comparison?.low ?? 0) > 0);
    assert.match(found.reason, /^Better: .* over 3 seeds \(v1: 3\)\.$/);
  });
  it("does not keep the same gain where seeds differ as much", () => {
    const found = replicated(0.15, loud);
    assert.equal(found.verdict, "reject");
    assert.match(found.reason, /^Inside the noise: .* About \d+ seeds of each would be needed/);
    assert.ok(found.seedsNeeded !== null && found.seedsNeeded > 3);
  });
  it("asks for another seed of whoever has fewer while a look is left", () => {
    const [parent, candidate] = [parentOf([0.01, 0, -0.01]), candidateOf(0.1, [0.03, -0.03])];
    const noise = seedNoise([parent, candidate, ...others(quiet)], "macro");
    const plan = { place: 1, keptBefore: 0, looksDone: 0, looksAtMost: 2 };
    const found = replicate({ candidate, parent, noise, rules, ...plan });
    assert.deepEqual([found.verdict, found.next], ["another_seed", ["candidate"]]);
    const alike = replicate({ candidate, parent: parentOf([0.01, -0.01]), noise, rules, ...plan });
    assert.deepEqual([alike.verdict, alike.next], ["another_seed", ["candidate", "parent"]]);
    // Whoever has fewer, when the last look is over nothing more is asked for.
    for (const looksDone of [1, 2])
      assert.equal(replicate({ candidate, parent, noise, rules, ...plan, looksDone }).verdict, "reject");
  });
  it("stops early when there is nothing to hope for", () => {
    const found = replicated(0, [0.01, -0.01]);
    assert.equal(found.verdict, "reject");
    assert.match(found.reason, /^(Inside the noise|Worse): /);
  });
  it("rejects a loss", () => assert.match(replicated(-0.25, quiet).reason, /^Worse: −/));
  it("keeps nothing when its looks are used up, and nothing with one seed", () => {
    assert.equal(replicated(0.3, quiet, { looksDone: 2 }).verdict, "reject");
    const one = replicated(0.3, quiet, { candidate: candidateOf(0.3, [0]) });
    assert.notEqual(one.verdict, "keep");
  });
  it("asks more of a candidate among many, and less after others were kept", () => {
    const level = (change: Partial<ReplicateInput>) => replicated(0.1, quiet, change).level;
    const many = { rules: { ...rules, candidates: 80 } };
    assert.ok(level(many) < level({}) && level({}) < level({ keptBefore: 2, place: 4 }));
  });
  it("gives no verdict on items that were selected by their results", () => {
    const parent = parentOf(quiet);
    const failed = new Set(parent.outcomes.filter((o) => o.pass < 3).map((o) => o.item));
    const candidate = candidateOf(0.15, quiet);
    const part = { ...candidate, outcomes: candidate.outcomes.filter((o) => failed.has(o.item)) };
    const found = replicated(0.15, quiet, { parent, candidate: part });
    assert.equal(found.verdict, "reject");
    assert.match(found.reason, /^No verdict: /);
  });
});

describe("compareWithNoise", () => {
  const noise = seedNoise(others([0.03, 0, -0.03]), "macro");
  const compare = (a: Tested, b: Tested, tail = 0.025) =>
    compareWithNoise(a, b, { metric: "macro", noise, tail });
  it("is symmetric", () => {
    const [a, b] = [parentOf(quiet), candidateOf(0.05, [0, 0])];
    const [there, back] = [compare(a, b)?.comparison, compare(b, a)?.comparison];
    assert.ok(there !== undefined && back !== undefined);
    assert.ok(Math.abs(there.low + back.high) < 1e-9 && Math.abs(there.high + back.low) < 1e-9);
  });
  it("says improved if, and only if, its p value is below the tail", () =>
    fc.assert(
      fc.property(
        fc.double({ min: -0.05, max: 0.3, noNaN: true }),
        fc.constantFrom(0.1, 0.025, 0.003),
        fc.integer({ min: 1, max: 50 }),
        (gain, tail, draw) => {
          const candidate = seeded("v2", { rate: around(0.4 + gain), seeds: quiet, draw });
          const found = compare(parentOf(quiet), candidate, tail);
          assert.ok(found !== null);
          if (Math.abs(found.p - tail) > 1e-6)
            assert.equal(found.comparison.verdict === "improved", found.p <= tail);
        },
      ),
      { numRuns: 40 },
    ));
  it("narrows with every seed of either version", () => {
    const width = (a: number, b: number): number => {
      const zeros = (n: number): number[] => Array.from({ length: n }, () => 0);
      const found = compare(parentOf(zeros(a)), candidateOf(0.05, zeros(b)))?.comparison;
      return (found?.high ?? NaN) - (found?.low ?? NaN);
    };
    assert.ok(width(1, 1) > width(2, 1) && width(2, 1) > width(2, 2) && width(2, 2) > width(4, 4));
  });
  it("goes by the exact bound where hardly an item differs", () => {
    const flat = (name: string, better: number): Tested =>
      seeded(name, { rate: (i) => (i < 60 + better ? 1 : 0), seeds: [0, 0, 0] });
    const found = compareWithNoise(flat("v1", 0), flat("v2", 4), {
      metric: "macro",
      noise: unknownNoise,
      tail: 0.025,
    });
    assert.ok(found !== null && found.comparison.low < 0 && found.p >= 0.025);
    assert.deepEqual(
      [found.comparison.verdict, found.comparison.doubts],
      ["inside_noise", ["few_differ", "few_seeds"]],
    );
  });
  it("shows how much unknown outcomes could change", () => {
    const candidate = candidateOf(0.15, quiet);
    const outcomes = candidate.outcomes.map((o, i) => (i % 2 === 0 ? { ...o, unknown: 6 } : o));
    const found = compare(parentOf(quiet), { ...candidate, outcomes })?.comparison;
    assert.ok(found?.outer !== undefined && found.outer[0] < 0 && found.outer[1] > found.high);
    assert.ok(found.doubts?.includes("unknown_matter"));
  });
});
