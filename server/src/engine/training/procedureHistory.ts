import type { EntryLog } from "../../lineage/entries/entryLog.ts";
import { countedOfType } from "../../lineage/trust/countedEntries.ts";
import { findVersion, type Lineage } from "../../lineage/graph.ts";
import type { VersionRecord } from "../../lineage/records/versionRecord.ts";
import type { ProcedureHistory } from "../../loop/procedureHistory.ts";
import { isHarness } from "../../proposals/standing/harnessVersions.ts";
import { findRevert } from "../../proposals/standing/revertVersion.ts";
import { failedSinceKept } from "../../proposals/standing/gateHistory.ts";
import { isProposal } from "../../proposals/standing/proposal.ts";

/** What the ledger tells of the procedure before a generation, of changes that are made of `parent`. */
export function procedureHistory(
  lineage: Lineage,
  entries: EntryLog,
  { parent, generation }: { readonly parent: string; readonly generation: number },
): ProcedureHistory {
  const failed = failedSinceKept(lineage);
  const kept = lineage.versions.filter(
    (v) =>
      isProposal(v) &&
      !isHarness(v) &&
      v.standing !== "claim" &&
      v.decision?.decision === "keep" &&
      findRevert(lineage, v.name) === undefined,
  );
  const since = Date.parse(kept.at(-1)?.decision?.at ?? "") || 0;
  const stack = stackOf(lineage, parent);
  const scoreOf = (v: VersionRecord): number => v.evidence.selection?.score?.value ?? 0;
  return {
    failuresInARow: failed.length,
    failed: failed.map((v) => ({
      version: v.name,
      factor: v.factor,
      finding: v.hypothesis?.targets[0] ?? null,
    })),
    stack: stack.map(({ name }) => name),
    otherParents: kept
      .filter(({ name }) => name !== parent)
      .sort((a, b) => scoreOf(b) - scoreOf(a))
      .map(({ name }) => name),
    below: stack[0]?.parent ?? null,
    taken: [...countedOfType(entries, "procedure")].flatMap((entry) =>
      entry.domain === lineage.domain && entry.generation < generation && Date.parse(entry.at) > since
        ? [entry.step]
        : [],
    ),
  };
}

/** The changes that a version stands on, itself first, down to the baseline. */
function stackOf(lineage: Lineage, name: string): VersionRecord[] {
  const stack: VersionRecord[] = [];
  for (let at = findVersion(lineage, name); at !== undefined && isProposal(at);) {
    stack.push(at);
    at = at.parent === null ? undefined : findVersion(lineage, at.parent);
  }
  return stack;
}
