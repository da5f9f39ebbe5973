import assert from "node:assert/strict";
import type { LedgerEntry } from "../../../../shared/ledger/ledger.ts";
import { buildLineage } from "../../lineage/graph.ts";
import { examMoments } from "./examMoments.ts";

const told = (version: string) => ({ at: "2026-01-01T00:00:00.000Z", domain: "toy", version });

/** A version of a generation, and what it did to the score against its parent. */
const made = (name: string, parent: string | null, generation: number, effect?: number): LedgerEntry[] => [
  {
    ...{ ...told(name), id: `version:${name}`, type: "version", commit: "a".repeat(40), parent, generation },
    ...{ title: name, factor: parent?.startsWith("v0") === false ? "data" : null, intervention: null },
  },
  ...(effect === undefined || parent === null ? [] : [decided(name, parent, effect)]),
];

const decided = (name: string, against: string, difference: number): LedgerEntry => ({
  ...{ ...told(name), id: `decision:${name}`, type: "decision", decision: "reject", reason: "because" },
  evidence: [],
  comparison: {
    ...{ against, difference, low: difference - 0.1, high: difference + 0.1, confidence: 0.95, items: 10 },
    ...{ verdict: "inside_noise", itemsNeeded: null },
  },
});

describe("the moments of an exam", () => {
  const lineage = buildLineage(
    [
      ...[made("v0", null, 0), made("v1", "v0", 0), made("v2", "v1", 1, 0.01), made("v3", "v1", 2, 0.05)],
      ...[made("v4", "v3", 3, -0.02), made("v5", "v1", 4, -0.01), made("v6", "v3", 5, 0.03)],
      ...[made("v7", "v6", 6, 0.02), made("v8", "v3", 7)],
    ].flat(),
    "toy",
  );
  const moments = examMoments(lineage, "solve_rate");

  it("are the versions of which two or more changes were measured, whenever that was", () => {
    assert.deepEqual(
      moments.map(({ parent, drafts }) => [parent.name, drafts.map(({ version }) => version)]),
      [
        ["v1", ["v2", "v3", "v5"]],
        ["v3", ["v4", "v6"]],
      ],
    );
    assert.deepEqual(
      moments[0]?.drafts.map(({ effect }) => effect),
      [0.01, 0.05, -0.01],
    );
  });

  it("know what was decided before the first of these changes, and nothing else", () => {
    assert.deepEqual(
      moments.map(({ generation, cases }) => [generation, cases.map(({ version }) => version)]),
      [
        [1, []],
        [3, ["v2", "v3"]],
      ],
    );
  });
});
