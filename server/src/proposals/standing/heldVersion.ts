import { elsewhereText, isDoubtful, newWayText } from "../../../../shared/ledger/newWayText.ts";
import { findVersion, type Lineage } from "../../lineage/graph.ts";
import type { VersionRecord } from "../../lineage/records/versionRecord.ts";
import { gateAnswer, isProposal } from "./proposal.ts";
import { isReverted } from "./revertVersion.ts";

/**
 * Why a kept version is held until a person has looked at its passes, and what to do: its gain, or that of a version that it
 * was made of, may be a shortcut. Null where it is not, or somebody approved that one. What is held is not promoted, and the
 * loop makes no change of it.
 */
export function whyHeld(version: VersionRecord, lineage: Lineage): string | null {
  const { name } = version;
  const seen = new Set<string>();
  for (
    let at: VersionRecord | undefined = version;
    at !== undefined && isProposal(at) && !seen.has(at.name);
  ) {
    seen.add(at.name);
    const doubt = isApproved(at) ? null : doubtText(at);
    if (doubt !== null) {
      const whose = at.name === name ? "its gain" : `the gain of ${at.name}, which it was made of,`;
      return `${name} waits for a person, because ${whose} may be a shortcut. ${doubt} If what passes solves the task, run \`evotrainer promote ${name} --approve\`; if not, run \`evotrainer revert ${at.name}\`.`;
    }
    const { parent }: VersionRecord = at;
    at = parent === null ? undefined : findVersion(lineage, parent);
  }
  return null;
}

/** Kept versions whose own gain a person has to look at and nobody has answered, in the order of the lineage. */
export const heldVersions = (lineage: Lineage): VersionRecord[] =>
  lineage.versions.filter(
    (v) =>
      isKept(v) &&
      gateAnswer(v, "completion") === null &&
      doubtText(v) !== null &&
      !isReverted(lineage, v.name),
  );

/** Whether a person approved a version that was held. */
export const isReleased = (version: VersionRecord, lineage: Lineage): boolean =>
  isKept(version) &&
  isApproved(version) &&
  doubtText(version) !== null &&
  !isReverted(lineage, version.name) &&
  whyHeld(version, lineage) === null;

const isKept = ({ decision, standing }: VersionRecord): boolean =>
  decision?.decision === "keep" && standing !== "claim";

const isApproved = (version: VersionRecord): boolean =>
  gateAnswer(version, "completion")?.answer === "approve";

function doubtText({ name, decision }: VersionRecord): string | null {
  const [way] = decision?.newWays ?? [];
  const elsewhere = decision?.inParentEnvironment;
  if (decision === undefined || way === undefined || elsewhere === undefined || !isDoubtful(decision))
    return null;
  return `${newWayText(way, elsewhere.parent)} ${elsewhereText(elsewhere)} \`evotrainer gaps ${name} --write ${way.name}\` makes a diagnostic of it.`;
}
