import type { Lineage } from "../../lineage/graph.ts";
import type { VersionRecord } from "../../lineage/records/versionRecord.ts";
import { harnessFactor } from "../../project/harnessPlaces.ts";
import { isReverted } from "./revertVersion.ts";

/**
 * Whether a version changes only how evidence is read. Releases before trained such versions: those that they trained are
 * versions like any other.
 */
export function isHarness({
  factor,
  origin,
  jobs,
}: Pick<VersionRecord, "factor" | "origin" | "jobs">): boolean {
  return factor === harnessFactor && origin === undefined && jobs.length === 0;
}

/** The harness versions that are in force, in the order in which they were admitted: those that stand and are not reverted. */
export function admittedHarness(lineage: Lineage): VersionRecord[] {
  return lineage.versions
    .filter(
      (v) =>
        isHarness(v) &&
        v.standing !== "claim" &&
        v.decision?.decision === "keep" &&
        v.decision.admission !== undefined &&
        !isReverted(lineage, v.name),
    )
    .sort((a, b) => Date.parse(a.decision?.at ?? "") - Date.parse(b.decision?.at ?? ""));
}

/** What the next harness version is made of: the last one that is in force, so that each has one parent; else `otherwise`. */
export function harnessParent(lineage: Lineage, otherwise: VersionRecord): VersionRecord {
  return admittedHarness(lineage).at(-1) ?? otherwise;
}
