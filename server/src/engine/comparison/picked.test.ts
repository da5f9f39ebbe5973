import assert from "node:assert/strict";
import type { LedgerEntry } from "../../../../shared/ledger/ledger.ts";
import { buildLineage } from "../../lineage/graph.ts";
import { metricOrThrow, type Evaluated } from "./chosen.ts";
import { familyOf, pickReport } from "./picked.ts";

const common = { at: "2026-01-01T00:00:00.000Z", domain: "toy" };
const version = (name: string, parent: string | null): LedgerEntry => ({
  ...common,
  id: `version:${name}`,
  type: "version",
  version: name,
  commit: "a".repeat(40),
  parent,
  generation: 0,
  factor: null,
  intervention: null,
  title: name,
});
const invalid = (name: string): LedgerEntry => ({
  ...common,
  id: `decision:${name}`,
  type: "decision",
  version: name,
  decision: "invalid",
  reason: "leak",
  comparison: null,
  evidence: [],
});
const entries = [
  version("v0", null),
  version("v1", "v0"),
  version("leak", "v0"),
  version("v2", "v1"),
  version("v3", "v1"),
  version("v4", "v2"),
  version("unmeasured", "v1"),
  invalid("leak"),
];
const versions = new Map(buildLineage(entries, "toy").versions.map((v) => [v.name, v]));
const measured = new Set(["v0", "v1", "leak", "v2", "v3", "v4"]);

describe("familyOf", () => {
  for (const [a, b, expected, because] of [
    ["v1", "v2", ["v2", "v3"], "the measured children of v1"],
    ["v0", "v4", ["v1", "v2", "v3", "v4"], "the measured descendants of v0"],
    ["v0", "leak", ["v1", "leak"], "the measured children of v0"],
    ["v2", "v3", ["v3"], "v3 does not descend from v2"],
    ["v4", "v1", ["v1"], "v1 does not descend from v4"],
    ["v1", "imported", ["imported"], "imported is not in the lineage"],
  ] as const)
    it(`of ${b} against ${a}: ${because}`, () =>
      assert.deepEqual(familyOf(a, b, versions, measured), { versions: expected, because }));
});

describe("pickReport", () => {
  const solveRate = metricOrThrow("macro", "macro");
  /** Items that pass `rate(i)` of 4. */
  const made = (name: string, items: number, passes: (i: number) => number): Evaluated => ({
    name,
    rollouts: [],
    outcomes: Array.from({ length: items }, (_, i) => ({
      item: `i${i}`,
      pass: passes(i),
      fail: 4 - passes(i),
      unknown: 0,
    })),
    steps: [0],
    step: null,
  });
  const a = made("a", 60, (i) => i % 3);
  const b = made("b", 60, (i) => (i % 3) + (i % 2));
  const c = made("c", 60, (i) => (i % 3) + (i % 5 === 0 ? 1 : 0));
  const report = (others: readonly Evaluated[], more: { asked?: number; steps?: number } = {}) =>
    pickReport(solveRate, a, b, {
      family: { versions: others.map((o) => o.name), because: "these" },
      asked: more.asked,
      steps: more.steps ?? 1,
      others,
    });

  it("widens the interval for the best of two, and says how much the choice added", () => {
    const pick = report([b, c]);
    assert.equal(pick.corrected?.confidence, 0.975);
    assert.deepEqual([pick.best, pick.from, pick.candidates], ["b", "lineage", 2]);
    assert.ok(pick.bias !== null && pick.biasAtMost !== null && pick.bias <= pick.biasAtMost);
    assert.ok(pick.among.every((x) => x.low !== null && x.low <= x.difference));
  });
  it("gives a bound for what the choice added when only the number of versions is known", () => {
    // Half of the items gain 1/4: standard deviation 1/8, with n − 1; the expected largest of ten is 1.53875 of it.
    const pick = report([], { asked: 10 });
    assert.equal(pick.bias, null);
    assert.ok(
      Math.abs((pick.biasAtMost ?? 0) - (1.53875 * Math.sqrt((0.125 ** 2 * 60) / 59)) / Math.sqrt(60)) < 1e-6,
    );
    assert.ok(Math.abs((pick.corrected?.confidence ?? 0) - 0.995) < 1e-12);
  });
  it("counts every pair of evaluations from which the pair could have been chosen", () =>
    assert.ok(Math.abs((report([b], { steps: 4 }).corrected?.confidence ?? 0) - 0.9875) < 1e-12));
  it("corrects nothing when nothing was chosen, and says when candidates share no item", () => {
    assert.equal(report([b]).corrected, null);
    const elsewhere = { ...made("c", 3, () => 1), outcomes: [{ item: "x", pass: 1, fail: 0, unknown: 0 }] };
    assert.equal(report([b, elsewhere]).refused?.reason, "no_common_item");
    // A candidate that differs in few items has no interval here, as in its own comparison.
    const few = made("c", 60, (i) => (i % 3) + (i === 0 ? 1 : 0));
    assert.equal(report([b, few]).among[1]?.low, null);
  });
});
