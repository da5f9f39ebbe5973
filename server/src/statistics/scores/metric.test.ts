import assert from "node:assert/strict";
import fc from "fast-check";
import { fuzzRuns } from "../../../../test/support/base/fuzz.ts";
import { comparePaired } from "../comparison/compare.ts";
import { compareIqm } from "../comparison/iqmComparison.ts";
import { metricNamed } from "./metric.ts";
import { aggregate, type ItemMetric, type ItemOutcomes } from "./outcomes.ts";
import { scoreOf } from "./score.ts";

const item = (name: number, pass: number, fail: number, unknown = 0): ItemOutcomes => ({
  item: `i${name}`,
  pass,
  fail,
  unknown,
  bySeed: [{ seed: 1, pass, fail, unknown }],
});
const many = (n: number, of: (i: number) => readonly [number, number, number?]): ItemOutcomes[] =>
  Array.from({ length: n }, (_, i) => item(i, ...of(i)));

describe("metricNamed", () => {
  for (const [name, metric] of [
    ["avg", "macro"],
    ["solve_rate", "macro"],
    ["micro", "micro"],
    ["iqm", "iqm"],
    ["avg@8", { of: "average", k: 8 }],
    ["pass@4", { of: "any", k: 4 }],
    ["pass^2", { of: "all", k: 2 }],
  ] as const)
    it(`knows ${name}`, () => assert.deepEqual(metricNamed(name, "macro")?.metric, metric));
  for (const name of ["pass@", "pass@0", "pass@1.5", "pass^-1", "micro@2", "", "PASS@2", "pass@9999999"])
    it(`rejects ${JSON.stringify(name)}`, () => assert.equal(metricNamed(name, "macro"), undefined));
});

describe("metrics over items", () => {
  const items = [
    { pass: 1, known: 4 },
    { pass: 4, known: 4 },
  ];
  for (const [metric, value] of [
    ["macro", 0.625],
    ["micro", 0.625],
    [{ of: "average", k: 2 }, 0.625],
    // Of the first item 3 of the 6 pairs have its pass, none has two.
    [{ of: "any", k: 2 }, 0.75],
    [{ of: "all", k: 2 }, 0.5],
  ] as const)
    it(`average what each item has: ${JSON.stringify(metric)}`, () =>
      assert.equal(aggregate(items, metric), value));

  it("leave out items with fewer than k known samples", () => {
    const outcomes = [item(1, 1, 3), item(2, 4, 0), item(3, 1, 0), item(4, 1, 0, 3)];
    const score = scoreOf(outcomes, { aggregator: { of: "any", k: 2 }, name: "pass@2", resamples: 50 });
    assert.ok(score !== null);
    assert.deepEqual([score.metric, score.value, score.items], ["pass@2", 0.75, 2]);
    assert.equal(scoreOf([item(3, 1, 0)], { aggregator: { of: "any", k: 2 } }), null);
  });

  it("compare two versions like the solve rate, and equal it for k = 1", () => {
    const a = many(60, (i) => [i % 3, 4 - (i % 3)]);
    const b = many(60, (i) => [(i % 3) + 1, 3 - (i % 3)]);
    const by = (aggregator: ItemMetric) => comparePaired("a", a, b, { aggregator, confidence: 0.95 });
    const [one, two] = [by({ of: "any", k: 1 }), by({ of: "any", k: 2 })];
    const macro = by("macro");
    assert.ok(one !== null && two !== null && macro !== null);
    assert.ok(Math.abs(one.difference - macro.difference) < 1e-12);
    // pass@2 of 0, 1, 2 and of 1, 2, 3 passes in 4: 0, 1/2, 5/6 and 1/2, 5/6, 1.
    assert.ok(Math.abs(two.difference - 1 / 3) < 1e-12);
    assert.equal(two.verdict, "improved");
    assert.equal(by({ of: "any", k: 5 }), null);
  });

  it("stay within their bounds whatever the unknown outcomes turn out to be", () =>
    fc.assert(
      fc.property(
        fc.record({
          pass: fc.nat(6),
          fail: fc.nat(6),
          unknown: fc.nat(4),
          passes: fc.nat(4),
          k: fc.integer({ min: 1, max: 6 }),
        }),
        fc.constantFrom("any", "all", "average"),
        ({ pass, fail, unknown, passes, k }, of) => {
          fc.pre(pass + fail >= k && passes <= unknown);
          const metric = { of, k } as const;
          const score = scoreOf([item(1, pass, fail, unknown)], { aggregator: metric, resamples: 2 });
          assert.ok(score !== null);
          const truth = aggregate([{ pass: pass + passes, known: pass + fail + unknown }], metric);
          assert.ok(score.bounds[0] <= truth + 1e-12 && truth <= score.bounds[1] + 1e-12);
          assert.ok(score.bounds[0] <= score.value + 1e-12 && score.value <= score.bounds[1] + 1e-12);
        },
      ),
      { numRuns: fuzzRuns() },
    ));

  it("say that seeds show nothing if no seed has k samples", () => {
    const two = (pass: number): ItemOutcomes[] =>
      many(40, (i) => [i % 2 === 0 ? pass : 1, 1]).map((o) => ({
        ...o,
        bySeed: [
          { seed: 1, pass: o.pass, fail: 0, unknown: 0 },
          { seed: 2, pass: 0, fail: o.fail, unknown: 0 },
        ],
      }));
    const options = { aggregator: { of: "any", k: 2 }, confidence: 0.95 } as const;
    assert.ok(comparePaired("a", two(1), two(1), options)?.doubts?.includes("seeds_not_told"));
  });
});

describe("compareIqm", () => {
  const compare = (a: ItemOutcomes[], b: ItemOutcomes[]) =>
    compareIqm("a", a, b, { confidence: 0.95, resamples: 400 });
  it("gives the difference between the means within the quartiles", () => {
    // Rates 0, 1/4, 1/2, 3/4 in equal parts: the IQM is the mean of the middle half, 3/8. Of b four of five are 1/4 more:
    // 4 items at 0, 20 at 1/4, 20 at 1/2, 20 at 3/4, 16 at 1, of which the middle 40 are 4 at 1/4, 20 at 1/2 and 16 at 3/4: 23/40.
    const c = compare(
      many(80, (i) => [i % 4, 4 - (i % 4)]),
      many(80, (i) => (i % 5 === 0 ? [i % 4, 4 - (i % 4)] : [(i % 4) + 1, 3 - (i % 4)])),
    );
    assert.ok(c !== null && Math.abs(c.difference - (23 / 40 - 3 / 8)) < 1e-12, String(c?.difference));
    assert.ok(c.low > 0 && c.low < 0.2 && c.high > 0.2);
    assert.deepEqual([c.verdict, c.items, c.seeds, c.doubts], ["improved", 80, [1, 1], ["one_seed"]]);
  });
  it("is certain when every item agrees, and holds back for one item", () => {
    const flat = compare(
      many(40, () => [0, 4]),
      many(40, () => [4, 0]),
    );
    // Clopper and Pearson: of 40 items without an exception at most 8.8 % are one, and each moves a mean by 2 at most.
    assert.ok(flat !== null && flat.low > 0.6 && flat.low < 0.7 && flat.high === 1, String(flat?.low));
    assert.deepEqual([flat.verdict, flat.doubts], ["improved", ["no_spread", "one_seed"]]);
    const one = compare(
      many(1, () => [0, 4]),
      many(1, () => [4, 0]),
    );
    assert.deepEqual([one?.verdict, one?.doubts], ["inside_noise", ["one_item", "one_seed"]]);
    assert.equal(
      compare(
        many(3, () => [0, 0, 4]),
        many(3, () => [1, 1]),
      ),
      null,
    );
  });
  it("shows how much the unknown outcomes could change", () => {
    const b = many(80, (i) => [(i % 4) + 1, 3 - (i % 4), 4]);
    const c = compare(
      many(80, (i) => [i % 4, 4 - (i % 4)]),
      b,
    );
    assert.ok(c?.outer !== undefined && c.outer[0] < 0 && c.outer[1] > 0.25);
    assert.ok(c.doubts?.includes("unknown_matter"));
  });
});
