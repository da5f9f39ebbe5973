import { findVersion, type Lineage } from "../../lineage/graph.ts";
import type { VersionRecord } from "../../lineage/records/versionRecord.ts";
import { isHarness } from "../../proposals/standing/harnessVersions.ts";
import { heldVersions, isSetAside, whyHeld } from "../../proposals/standing/heldVersion.ts";
import { isReverted } from "../../proposals/standing/revertVersion.ts";

/** Whether a version is another one, or was made of it. */
export function isAbove(lineage: Lineage, version: VersionRecord, root: string): boolean {
  const seen = new Set<string>();
  let at: VersionRecord | undefined = version;
  while (at !== undefined && !seen.has(at.name)) {
    if (at.name === root) return true;
    seen.add(at.name);
    at = at.parent === null ? undefined : findVersion(lineage, at.parent);
  }
  return false;
}

/**
 * A version and what was kept above it by somebody who is trusted here, is not reverted and waits for nobody to look at it, in the
 * order of the lineage.
 */
export function standingOn(lineage: Lineage, root: string): VersionRecord[] {
  return lineage.versions.filter(
    (v) =>
      v.standing !== "claim" &&
      (v.decision?.decision === "keep" || v.decision?.decision === "merge") &&
      !isHarness(v) &&
      isAbove(lineage, v, root) &&
      !isReverted(lineage, v.name) &&
      !isSetAside(v, lineage),
  );
}

/** Why versions above a version are held until a person has looked at them, a few sentences for each. */
export const heldAbove = (lineage: Lineage, root: string): string[] =>
  heldVersions(lineage)
    .filter((v) => isAbove(lineage, v, root))
    .flatMap((v) => whyHeld(v, lineage) ?? []);
