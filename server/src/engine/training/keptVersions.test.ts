import assert from "node:assert/strict";
import type { LedgerEntry } from "../../../../shared/ledger/ledger.ts";
import { PlainLineage } from "../../../../test/support/loop/plainLineage.ts";
import { shortcutGain } from "../../../../test/support/loop/shortcutGain.ts";
import { heldAbove } from "./keptVersions.ts";

const told = (type: string, version: string) => ({
  ...{ id: `${type}:${version}`, at: "2026-01-01T00:00:00Z", domain: "toy", version },
});

/** A version; a proposal where it has a statement. */
function made(name: string, parent: string | null, isProposal: boolean): LedgerEntry[] {
  const version: LedgerEntry = {
    ...told("version", name),
    ...{
      type: "version",
      commit: name,
      parent,
      generation: 1,
      factor: null,
      intervention: null,
      title: name,
    },
  };
  const hypothesis: LedgerEntry = {
    ...told("hypothesis", name),
    ...{ type: "hypothesis", statement: "s", targets: [], predictedFixes: [], predictedRisks: [] },
  };
  return isProposal ? [version, hypothesis] : [version];
}

describe("why versions are held", () => {
  it("names the approved changes of them, which nobody trains before", () => {
    const lineage = new PlainLineage();
    const kept = (name: string, gain: Partial<ReturnType<typeof shortcutGain>> = {}): LedgerEntry => ({
      ...told("decision", name),
      ...{ type: "decision", decision: "keep", reason: "r", evidence: [], comparison: null, ...gain },
    });
    const approved: LedgerEntry = {
      ...told("approval", "v3"),
      ...{ type: "approval", gate: "design", answer: "approve", by: "me" },
    };
    const entries: LedgerEntry[] = [
      ...[...made("v1", null, false), kept("v1")],
      ...[...made("v2", "v1", true), kept("v2", shortcutGain("v1"))],
      ...[...made("v3", "v2", true), approved],
      ...made("v4", "v2", true),
    ];
    for (const entry of entries) lineage.add(entry);
    const [why, ...others] = heldAbove(lineage, "v1");
    assert.deepEqual(others, []);
    assert.match(why ?? "", /^v2 waits for a person/);
    assert.match(why ?? "", / v3 is trained only once v2 is approved\.$/);
  });
});
