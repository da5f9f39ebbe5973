import { plural } from "../../../../shared/words/numbers.ts";
import { listed } from "../../base/similar.ts";
import { findVersion, type Lineage } from "../../lineage/graph.ts";
import type { VersionRecord } from "../../lineage/records/versionRecord.ts";
import { isHarness } from "../../proposals/standing/harnessVersions.ts";
import { heldVersions, isSetAside, whyHeld } from "../../proposals/standing/heldVersion.ts";
import { isReadyToTrain } from "../../proposals/standing/proposal.ts";
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
    .flatMap((v) => {
      const why = whyHeld(v, lineage);
      return why === null ? [] : [[why, ...untrainedText(v, lineage)].join(" ")];
    });

/** What of a held version a person has approved and no evolution trains before the version itself is. */
function untrainedText({ name }: VersionRecord, lineage: Lineage): string[] {
  const ready = lineage.versions.filter((v) => v.parent === name && isReadyToTrain(v)).map((v) => v.name);
  return ready.length === 0
    ? []
    : [`${listed(ready, "and")} ${plural(ready.length, "is", "are")} trained only once ${name} is approved.`];
}
