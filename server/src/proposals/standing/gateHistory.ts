import type { GateHistory } from "../../decision/gates/whoAnswers.ts";
import type { Lineage } from "../../lineage/graph.ts";
import { isHeld } from "../../lineage/records/held.ts";
import type { VersionRecord } from "../../lineage/records/versionRecord.ts";
import { isHarness } from "./harnessVersions.ts";
import { isProposal } from "./proposal.ts";

/**
 * What the gates go by, from the ledger alone: a state on the disk can be edited. A refused proposal is decided too, and
 * only what was trained can fail. Versions of one generation were tried side by side: one that was kept ends the row.
 */
export function gateHistory(lineage: Lineage): GateHistory {
  const decided = decidedProposals(lineage);
  return { versionsDecided: decided.length, failuresInARow: failedInARow(decided).length };
}

/** The proposals that were trained since the last kept one, none of which was kept; the oldest first. */
export function failedSinceKept(lineage: Lineage): VersionRecord[] {
  return failedInARow(decidedProposals(lineage));
}

function decidedProposals({ versions }: Lineage): VersionRecord[] {
  return versions.filter(
    (v) => isProposal(v) && !isHarness(v) && v.standing !== "claim" && v.decision !== undefined,
  );
}

function failedInARow(decided: readonly VersionRecord[]): VersionRecord[] {
  // What is held until a person has looked at it neither succeeded nor failed yet.
  const isKept = (v: VersionRecord): boolean => v.decision?.decision === "keep" && !isHeld(v);
  const last = decided.findLastIndex(isKept);
  const beside = decided[last]?.generation;
  const later = decided.slice(last + 1);
  // Of the generation of the last kept version those that follow at once were decided beside it.
  const next = later.findIndex((v) => v.generation !== beside);
  const after = last === -1 ? later : next === -1 ? [] : later.slice(next);
  return after.filter((v) => v.decision?.decision !== "prune" && !isHeld(v));
}
