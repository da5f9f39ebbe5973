import type { VersionRecord } from "../../lineage/records/versionRecord.ts";

/** What may keep a version from proving or confirming a skill, each as a sentence; null where it does not. */
export interface Doubts {
  /** Why its edits are not part of what the evolution goes on from. */
  readonly notKept: string | null;
  /** Why it waits for a person: its gain, or that of what it was made of, may be a shortcut. */
  readonly held: string | null;
}

export type DoubtsOf = (version: VersionRecord) => Doubts;

/** Why a version that was kept confirms nothing; null where it does, and of one that was not kept: that it failed is known. */
export function doubtOn(version: VersionRecord, doubtsOf: DoubtsOf): string | null {
  if (version.decision?.decision !== "keep") return null;
  const { notKept, held } = doubtsOf(version);
  return notKept ?? held;
}
