import assert from "node:assert/strict";
import { PlainLineage } from "../../../test/support/loop/plainLineage.ts";
import { shortcutGain } from "../../../test/support/loop/shortcutGain.ts";
import type { LedgerEntry } from "../../../shared/ledger/ledger.ts";
import { initialState, type LoopState } from "./state.ts";
import { withStandingChampion } from "./standingChampion.ts";

type Decided = Extract<LedgerEntry, { type: "decision" }>;

const at = "2026-01-01T00:00:00Z";
const base = (type: string, version: string) => ({ id: `${type}:${version}`, at, domain: "toy", version });

/** A version and its decision; a proposal unless it has no parent or is the baseline. */
function made(
  name: string,
  parent: string | null,
  decided: Partial<Decided> & { decision: Decided["decision"] },
): LedgerEntry[] {
  const generation = name === "v0" || name === "v1" ? 0 : 1;
  return [
    {
      ...base("version", name),
      ...{ type: "version", commit: name, parent, generation, factor: null, intervention: null, title: name },
    },
    ...(generation === 0
      ? []
      : [
          {
            ...base("hypothesis", name),
            ...{ type: "hypothesis", statement: "s", targets: [], predictedFixes: [], predictedRisks: [] },
          } satisfies LedgerEntry,
        ]),
    {
      ...base("decision", name),
      ...{ type: "decision", reason: "r", evidence: [], comparison: null, ...decided },
    },
  ];
}

const answered = (version: string, answer: "approve" | "reject"): LedgerEntry => ({
  ...base("approval", version),
  ...{ type: "approval", gate: "completion", by: "me", answer },
});

function scored(version: string, value: number): LedgerEntry[] {
  const score = { metric: "solve_rate", value, low: value, high: value, items: 8, rollouts: 8, unknown: 0 };
  return [
    {
      ...base("evidence", version),
      ...{ type: "evidence", split: "selection", runs: [], score: { ...score, bounds: [value, value] } },
      ...{ cleanScore: null, signals: {}, labels: [], findings: [] },
    },
  ];
}

const started = [...made("v0", null, { decision: "base" }), ...made("v1", "v0", { decision: "keep" })];
const shortcut = made("v2", "v1", { decision: "keep", ...shortcutGain("v1") });

const state = (changes: Partial<LoopState>): LoopState => ({
  ...initialState({ domain: "toy", base: "base", startedAt: at, generations: 3, firstNumber: 0 }),
  ...{ phase: "evolve", step: "collect", generation: 2, baseVersion: "v0", baseline: "v1", ...changes },
});

function championAfter(entries: readonly LedgerEntry[], before: LoopState): string | null {
  const lineage = new PlainLineage();
  for (const entry of entries) lineage.add(entry);
  const after = withStandingChampion(before, lineage);
  assert.deepEqual(withStandingChampion(after, lineage), after, "asked again, it says the same");
  return after.champion;
}

describe("the version that an evolution goes on from", () => {
  it("is what a version was made of that may be a shortcut, until a person approves that one", () => {
    const entries = [...started, ...shortcut];
    assert.equal(championAfter(entries, state({ champion: "v2" })), "v1");
    assert.equal(championAfter(entries, state({ champion: "v1" })), "v1");
    assert.equal(championAfter([...entries, answered("v2", "reject")], state({ champion: "v1" })), "v1");
    assert.equal(championAfter([...entries, answered("v2", "approve")], state({ champion: "v1" })), "v2");
    assert.equal(championAfter([...entries, answered("v2", "approve")], state({ champion: "v2" })), "v2");
  });

  it("is held back through every version that was made of such a one", () => {
    const entries = [...started, ...shortcut, ...made("v3", "v2", { decision: "keep" })];
    assert.equal(championAfter(entries, state({ champion: "v3" })), "v1");
    assert.equal(championAfter([...entries, answered("v2", "approve")], state({ champion: "v3" })), "v3");
  });

  it("is such a version where the search goes by scores alone", () => {
    const unheld = made("v2", "v1", { decision: "keep", ...shortcutGain("v1"), held: false });
    assert.equal(championAfter([...started, ...unheld], state({ champion: "v2" })), "v2");
  });

  it("takes up what was approved once only, so that the loop may step back from it", () => {
    const entries = [...started, ...shortcut, answered("v2", "approve")];
    assert.equal(championAfter(entries, state({ champion: "v1", released: ["v2"] })), "v1");
  });

  it("does not change in the middle of a generation", () => {
    assert.equal(championAfter([...started, ...shortcut], state({ champion: "v2", step: "train" })), "v2");
  });

  it("is what a reverted version was made of", () => {
    const entries = [
      ...started,
      ...made("v2", "v1", { decision: "keep" }),
      ...made("v3", "v2", { decision: "revert" }),
    ];
    assert.equal(championAfter(entries, state({ champion: "v2" })), "v1");
    assert.equal(
      championAfter([...entries, ...made("v4", "v3", { decision: "revert" })], state({ champion: "v2" })),
      "v2",
    );
  });

  it("stays where a version that may be a shortcut was approved and taken back", () => {
    const entries = [
      ...started,
      ...shortcut,
      answered("v2", "approve"),
      ...made("v3", "v2", { decision: "revert" }),
    ];
    assert.equal(championAfter(entries, state({ champion: "v1" })), "v1");
  });

  it("is the best of what was made of a version once a person has approved that one", () => {
    const entries = [
      ...started,
      ...shortcut,
      ...made("v3", "v2", { decision: "keep" }),
      ...made("v4", "v2", { decision: "reject" }),
      ...scored("v2", 0.6),
      ...scored("v3", 0.9),
    ];
    const approved = [...entries, answered("v2", "approve")];
    assert.equal(championAfter(approved, state({ champion: "v1" })), "v3");
    assert.equal(championAfter(approved, state({ champion: "v1", released: ["v2"] })), "v1");
    const taken = [...approved, ...made("v5", "v3", { decision: "revert" })];
    assert.equal(championAfter(taken, state({ champion: "v1" })), "v2");
  });

  it("is what a person has approved although it was made of a version that nobody answered", () => {
    const entries = [...started, ...shortcut, ...made("v3", "v2", { decision: "keep" })];
    assert.equal(championAfter([...entries, answered("v3", "approve")], state({ champion: "v1" })), "v3");
    const taken = [...entries, answered("v3", "approve"), ...made("v4", "v2", { decision: "revert" })];
    assert.equal(championAfter(taken, state({ champion: "v1" })), "v1", "what it was made of was taken back");
  });

  it("is of two approved versions the one that scores more", () => {
    const entries = [
      ...started,
      ...shortcut,
      ...made("v3", "v1", { decision: "keep", ...shortcutGain("v1") }),
      ...scored("v2", 0.9),
      ...scored("v3", 0.6),
      answered("v2", "approve"),
      answered("v3", "approve"),
    ];
    assert.equal(championAfter(entries, state({ champion: "v1" })), "v2");
  });

  it("is an approved version beside it that scores more, and not one that scores less", () => {
    const entries = [
      ...started,
      ...shortcut,
      ...made("v3", "v1", { decision: "keep" }),
      answered("v2", "approve"),
      ...scored("v3", 0.6),
    ];
    const before = state({ champion: "v3" });
    assert.equal(championAfter([...entries, ...scored("v2", 0.9)], before), "v2");
    assert.equal(championAfter([...entries, ...scored("v2", 0.5)], before), "v3");
    const stepped = state({ champion: "v3", released: ["v2"] });
    assert.equal(championAfter([...entries, ...scored("v2", 0.9)], stepped), "v3");
  });

  it("is not a merge with a version that may be a shortcut, until a person approves one of the two", () => {
    const merge = made("v4", "v3", { decision: "keep" }).map((entry) =>
      entry.type === "version" ? { ...entry, merges: "v2" } : entry,
    );
    const entries = [
      ...[...started, ...shortcut, ...made("v3", "v1", { decision: "keep" }), ...merge],
      answered("v3", "approve"),
    ];
    assert.equal(championAfter(entries, state({ champion: "v4" })), "v3");
    for (const approved of ["v2", "v4"])
      assert.equal(
        championAfter([...entries, answered(approved, "approve")], state({ champion: "v4" })),
        "v4",
        approved,
      );
  });
});
