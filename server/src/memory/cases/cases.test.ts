import assert from "node:assert/strict";
import type { LedgerEntry } from "../../../../shared/ledger/ledger.ts";
import { shortcutGain } from "../../../../test/support/loop/shortcutGain.ts";
import { seededRandom } from "../../base/random.ts";
import { InterventionSpec } from "../../../../shared/spec/intervention.ts";
import { buildLineage } from "../../lineage/graph.ts";
import { casesOf, type Case, type CaseEdit } from "./case.ts";
import { editDistance, isNearCopy } from "./editDistance.ts";
import { nearestCases } from "./nearest.ts";
import { hasOtherFailures, type Profile } from "./profile.ts";

const at = "2026-01-01T00:00:00.000Z";
const told = (version: string) => ({ at, domain: "toy", version });

const edit = (path: string, from: number, to: number): Extract<CaseEdit, { type: "value" }> => ({
  ...{ type: "value", file: "train.yaml", path, from, to },
});
const change = (path: string, from: number, to: number) => ({
  factor: "optimisation" as const,
  edits: [edit(path, from, to)],
});

function version(name: string, parent: string | null): LedgerEntry {
  return {
    ...{ ...told(name), id: `version:${name}`, type: "version", commit: "a".repeat(40), parent },
    ...{ generation: 0, title: name },
    ...(parent === null || parent === "v0"
      ? { factor: null, intervention: null }
      : { factor: "optimisation", intervention: "kl" }),
  };
}

function hypothesis(name: string): LedgerEntry {
  const spec = InterventionSpec.parse({
    ...{ apiVersion: "evotrainer/v1", kind: "Intervention", name: "kl", targets: ["loop", "other"] },
    hypothesis: { change: "kl", metric: "solve_rate", direction: "increase", because: "it should" },
    ...{ factor: "optimisation", edit: [{ file: "train.yaml", path: "kl", from: 1, to: 2 }] },
    success: { atLeast: 0.02 },
  });
  const claims = { statement: "s", targets: spec.targets, predictedFixes: [], predictedRisks: [] };
  return { ...told(name), id: `hypothesis:${name}`, type: "hypothesis", ...claims, spec };
}

const evidence = (name: string): LedgerEntry => ({
  ...{ ...told(name), id: `evidence:${name}`, type: "evidence", split: "selection", signals: {} },
  ...{ score: null, cleanScore: null },
  labels: [
    {
      ...{ name: "loop", severity: "warning", labelled: 30, rollouts: 100 },
      ...{ alert: "warning", invalidates: false },
    },
  ],
});

const decision = (name: string, low: number, high: number, against = "v1"): LedgerEntry => ({
  ...{ ...told(name), id: `decision:${name}`, type: "decision", decision: "reject", reason: "because" },
  evidence: [],
  comparison: {
    ...{ against, difference: (low + high) / 2, low, high, confidence: 0.95, items: 10 },
    ...{ verdict: low > 0 ? "improved" : high < 0 ? "regressed" : "inside_noise", itemsNeeded: null },
  },
});

const profile = (rates: Readonly<Record<string, number>>): Profile => ({
  rates: new Map(Object.entries(rates).map(([name, labelled]) => [name, { labelled, of: 100 }])),
  alerts: [],
});

describe("cases", () => {
  it("hold what the parent failed at, the edit, the effect and how it ended", () => {
    const entries = [version("v1", "v0"), evidence("v1"), version("v2", "v1"), hypothesis("v2")];
    const ledger = [
      ...[version("v0", null), ...entries, version("v3", "v1"), decision("v2", -0.1, -0.02)],
      decision("v1", 0.1, 0.3, "v0"),
    ];
    const [only, ...others] = casesOf(buildLineage(ledger, "toy"));
    assert.deepEqual(others, [], "neither what is not decided nor the baseline is a case");
    assert.deepEqual(
      [only?.version, only?.ended, only?.triggers, only?.edits],
      ["v2", "worse", ["loop"], [edit("kl", 1, 2)]],
    );
    assert.equal(only?.profile.rates.get("loop")?.labelled, 30);
    assert.ok(Math.abs((only.effect?.error ?? 0) - 0.08 / (2 * 1.96)) < 1e-4);
  });

  describe("of a version whose gain rests on a switch of the environment", () => {
    const kept = (more: Partial<Extract<LedgerEntry, { type: "decision" }>>): LedgerEntry => {
      const found = decision("v2", 0.02, 0.1);
      assert.equal(found.type, "decision");
      return { ...found, decision: "keep", ...more };
    };
    const elsewhere = (low: number, high: number, switched: string[]) => {
      const { inParentEnvironment } = shortcutGain("v1");
      const comparison = { ...inParentEnvironment.comparison, low, high };
      return { inParentEnvironment: { ...inParentEnvironment, comparison, switched } };
    };
    const approval: LedgerEntry = {
      ...{ ...told("v2"), id: "approval:v2:completion", type: "approval", gate: "completion" },
      ...{ answer: "approve", by: "me" },
    };
    const endOf = (...entries: LedgerEntry[]): [Case["ended"] | undefined, boolean] => {
      const before = [
        version("v0", null),
        version("v1", "v0"),
        evidence("v1"),
        decision("v1", 0.1, 0.3, "v0"),
      ];
      const lineage = buildLineage([...before, version("v2", "v1"), hypothesis("v2"), ...entries], "toy");
      const [only] = casesOf(lineage);
      return [only?.ended, only?.effect !== null];
    };

    for (const [what, entries, expected] of [
      ["is gone without it", [kept(elsewhere(-0.5, -0.1, ["history"]))], ["held", false]],
      ["is not surely gone without it", [kept(elsewhere(-0.5, 0.1, ["history"]))], ["better", true]],
      ["is gone with less room", [kept(elsewhere(-0.5, -0.1, []))], ["better", true]],
      [
        "is gone without it, and a search by scores found it",
        [kept({ ...elsewhere(-0.5, -0.1, ["history"]), held: false })],
        ["better", true],
      ],
    ] as const)
      it(`say that it may be a shortcut or not where it ${what}`, () =>
        assert.deepEqual(endOf(...entries), expected));

    it("take it for a gain once a person has approved it, unless the person rejected it since", () => {
      const found = kept(elsewhere(-0.5, -0.1, ["history"]));
      assert.deepEqual(endOf(found, approval), ["better", true]);
      const rejection: LedgerEntry = { ...approval, id: "approval:v2:completion:2", answer: "reject" };
      assert.deepEqual(endOf(found, approval, rejection), ["held", false]);
    });
  });

  for (const [what, a, b, low, high] of [
    ["the same edit", change("kl", 1, 2), change("kl", 1, 2), 0, 0],
    ["a value nearby", change("kl", 1, 2), change("kl", 1, 1.9), 0.001, 0.05],
    ["a value further off", change("kl", 1, 2), change("kl", 1, 4), 0.2, 0.3],
    ["the other direction", change("kl", 1, 2), change("kl", 1, 0.9), 0.5, 0.5],
    ["another place", change("kl", 1, 2), change("clip", 1, 2), 0.6, 0.8],
    [
      "another factor",
      change("kl", 1, 2),
      { ...change("kl", 1, 2), factor: "data" as const, edits: [] },
      1,
      1,
    ],
  ] as const)
    it(`put ${what} at a distance of ${low} to ${high}`, () => {
      const distance = editDistance(a, b);
      assert.ok(distance >= low && distance <= high, `${distance}`);
      assert.equal(isNearCopy(a, b), distance <= 0.05);
    });

  it("come nearest first: by the edit, and among equal edits by the failures", () => {
    const one = (name: string, path: string, rates: Readonly<Record<string, number>>): Case => ({
      ...{ version: name, parent: "v1", factor: "optimisation", template: null, triggers: [] },
      ...{ edits: [edit(path, 1, 2)], profile: profile(rates), effect: null, decision: "reject" },
      ...{ ended: "unmeasured", seconds: null },
    });
    const cases = [
      one("far", "clip", { a: 90 }),
      one("other", "kl", { b: 90 }),
      one("near", "kl", { a: 80 }),
    ];
    const near = nearestCases(cases, { change: change("kl", 1, 2), profile: profile({ a: 90 }) }, 2);
    assert.deepEqual(
      near.map((n) => n.case.version),
      ["near", "other"],
    );
  });

  it("are the same few as the first of all in their order, whatever is skipped on the way", () => {
    const random = seededRandom(5);
    const share = (): number => Math.floor(random() * 5) * 20;
    const cases = Array.from({ length: 300 }, (_, i): Case => ({
      ...{ version: `v${i}`, parent: "v1", factor: "optimisation", template: null, triggers: [] },
      edits: [edit(`p${i % 7}`, 1, 1 + Math.floor(random() * 4))],
      profile: profile({ a: share(), b: share(), c: share() }),
      ...{ effect: null, decision: "reject", ended: "unmeasured", seconds: null },
    }));
    const question = { change: change("p3", 1, 2), profile: profile({ a: 80, b: 20 }) };
    const all = nearestCases(cases, question, cases.length);
    for (const limit of [1, 10, 60])
      assert.deepEqual(nearestCases(cases, question, limit), all.slice(0, limit));
  });

  it("tell a label that clearly moved from one that chance moves", () => {
    assert.equal(hasOtherFailures(profile({ a: 50 }), profile({ a: 20 }), ["a"]), true);
    assert.equal(hasOtherFailures(profile({ a: 50 }), profile({ a: 20 }), ["b"]), false);
    assert.equal(hasOtherFailures(profile({ a: 50 }), profile({ a: 41 }), ["a"]), false);
    assert.equal(hasOtherFailures(profile({ a: 30 }), profile({}), ["a"]), true);
  });
});
