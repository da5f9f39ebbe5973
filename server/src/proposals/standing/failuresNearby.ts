import { isPatch, isValueEdit, type Edit } from "../../../../shared/spec/edit.ts";
import type { InterventionSpec } from "../../../../shared/spec/intervention.ts";
import type { Lineage } from "../../lineage/graph.ts";
import type { VersionRecord } from "../../lineage/records/versionRecord.ts";
import { Ancestry } from "./ancestry.ts";

/** The same edit nearby, and how it ended: a quarantine and a loss say something about the next try, noise does not. */
export interface FailureNearby {
  readonly version: string;
  readonly text: string;
}

/**
 * Versions that made the same edit on the parent, on what it comes from or on what comes from it, and that were quarantined
 * or found to be worse. One that was only inside the noise may do better on another parent.
 */
export function failuresNearby(
  lineage: Lineage,
  parent: VersionRecord,
  { spec }: { readonly spec: Pick<InterventionSpec, "name" | "edit"> },
): FailureNearby[] {
  const ancestry = new Ancestry(lineage);
  const above = new Set(ancestry.of(parent).map((v) => v.name));
  const isNear = (name: string): boolean => {
    if (above.has(name)) return true;
    const other = lineage.versions.find((v) => v.name === name);
    return other !== undefined && ancestry.of(other).some((v) => v.name === parent.name);
  };
  return lineage.versions
    .filter((v) => v.standing !== "claim" && v.parent !== null && isSameEdit(v, spec) && isNear(v.parent))
    .flatMap((v) => {
      const what = failureText(v);
      if (what === null) return [];
      const text = `${v.name} made the same change on ${v.parent ?? "its parent"} and ${what}`;
      return [{ version: v.name, text }];
    });
}

function isSameEdit(
  { intervention, hypothesis }: VersionRecord,
  { name, edit }: Pick<InterventionSpec, "name" | "edit">,
): boolean {
  const before = hypothesis?.spec?.edit;
  // Earlier releases did not record the edits of a proposal.
  if (before === undefined) return intervention === name;
  return edit.length === before.length && edit.every((one) => before.some((other) => isTo(one, other)));
}

function isTo(a: Edit, b: Edit): boolean {
  if (isPatch(a)) return isPatch(b) && a.patch === b.patch;
  return isValueEdit(a) && isValueEdit(b) && a.file === b.file && a.path === b.path && a.to === b.to;
}

function failureText({ decision }: VersionRecord): string | null {
  if (decision === undefined) return null;
  if (decision.decision === "invalid") return `was quarantined: ${decision.reason}`;
  return decision.decision === "reject" && decision.comparison?.verdict === "regressed"
    ? `was worse: ${decision.reason}`
    : null;
}
