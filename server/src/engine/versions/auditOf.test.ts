import assert from "node:assert/strict";
import type { LedgerEntry } from "../../../../shared/ledger/ledger.ts";
import { buildLineage } from "../../lineage/graph.ts";
import { engineKey } from "../../lineage/trust/engineKey.ts";
import { signed } from "../../lineage/trust/signature.ts";
import { auditOf } from "./auditOf.ts";

const commit = "a".repeat(40);
const base = (id: string, version: string) => ({ id, at: "2026-01-01T00:00:00Z", domain: "toy", version });
const measured = (name: string, split: "selection" | "audit", value: number): LedgerEntry => ({
  ...base(`evidence:${name}:${split}`, name),
  ...{ type: "evidence", split, cleanScore: null, labels: [], signals: {} },
  score: {
    ...{
      metric: "solve_rate",
      value,
      low: value - 0.03,
      high: value + 0.03,
      items: 9,
      rollouts: 9,
      unknown: 0,
    },
    bounds: [value, value],
  },
});
const made = (
  name: string,
  parent: string | null,
  [selection, audit]: readonly [number, number?],
): LedgerEntry[] => [
  {
    ...base(`version:${name}`, name),
    ...{ type: "version", commit, parent, generation: 1, factor: null, intervention: null, title: name },
  },
  measured(name, "selection", selection),
  ...(audit === undefined ? [] : [measured(name, "audit", audit)]),
];
const proposed = (name: string): LedgerEntry => ({
  ...base(`hypothesis:${name}`, name),
  ...{ type: "hypothesis", statement: "s", targets: [], predictedFixes: [], predictedRisks: [] },
});
const decided = (name: string, decision: "keep" | "invalid"): LedgerEntry => ({
  ...base(`decision:${name}`, name),
  ...{ type: "decision", decision, reason: "r", comparison: null, evidence: [] },
});

const shown = (name: string, ...entries: readonly LedgerEntry[]) => {
  const lineage = buildLineage(
    entries.map((entry) => signed(entry, engineKey(), commit)),
    "toy",
  );
  const version = lineage.versions.find((one) => one.name === name);
  assert.ok(version);
  return auditOf(version, lineage);
};

describe("the audit of a version", () => {
  const baseline = made("v1", null, [0.4, 0.39]);
  const best = [...made("v2", "v1", [0.6, 0.5]), proposed("v2"), decided("v2", "keep")];

  it("is not told while it is sealed", () => assert.equal(shown("v1", ...made("v1", null, [0.4])), null));

  it("says that a version may overfit the selection split which lies further below it than its baseline", () => {
    assert.equal(shown("v2", ...baseline, ...best)?.gap?.verdict, "overfits");
    assert.equal(shown("v1", ...baseline, ...best)?.gap?.verdict, "inside_noise");
    assert.equal(shown("v2", ...made("v1", null, [0.4, 0.3]), ...best)?.gap?.verdict, "harder");
  });

  it("stands beside no score that is not to be trusted", () => {
    const invalid = [...made("v2", "v1", [0.6, 0.5]), proposed("v2"), decided("v2", "invalid")];
    const { score, gap } = shown("v2", ...baseline, ...invalid) ?? {};
    assert.deepEqual([score, gap], [0.5, undefined]);
  });
});
