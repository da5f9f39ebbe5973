import { elsewhereText, isDoubtful, newWayText } from "../../../../shared/ledger/newWayText.ts";
import { findVersion, type Lineage } from "../../lineage/graph.ts";
import type { VersionRecord } from "../../lineage/records/versionRecord.ts";
import { gateAnswer, isProposal } from "./proposal.ts";
import { isReverted } from "./revertVersion.ts";

/**
 * Why a kept version waits for a person before it is promoted, and what to do: its gain, or that of a version that it was made
 * of, may be a shortcut. Null where it does not, or somebody approved that one.
 */
export function whyHeld(version: VersionRecord, lineage: Lineage): string | null {
  const { name } = version;
  for (const at of withThoseAbove(version, lineage)) {
    const doubt = isApproved(at) ? null : doubtText(at);
    if (doubt === null) continue;
    const whose = at.name === name ? "its gain" : `the gain of ${at.name}, which it was made of,`;
    return `${name} waits for a person, because ${whose} may be a shortcut. ${doubt} If what passes solves the task, run \`evotrainer promote ${name} --approve\`; if not, run \`evotrainer revert ${at.name}\`.`;
  }
  return null;
}

/** Whether an evolution goes on without a version until then. One that goes by scores alone or at random does not. */
export const isSetAside = (version: VersionRecord, lineage: Lineage): boolean =>
  withThoseAbove(version, lineage).some(
    (at) => at.decision?.held !== false && !isApproved(at) && doubtText(at) !== null,
  );

/** A proposal and the proposals that it was made of, the nearest first. */
function withThoseAbove(version: VersionRecord, lineage: Lineage): VersionRecord[] {
  const above: VersionRecord[] = [];
  for (let at: VersionRecord | undefined = version; at !== undefined && isProposal(at);) {
    if (above.includes(at)) break;
    above.push(at);
    const { parent }: VersionRecord = at;
    at = parent === null ? undefined : findVersion(lineage, parent);
  }
  return above;
}

/** Kept versions that an evolution goes on without and nobody has answered yet, in the order of the lineage. */
export const heldVersions = (lineage: Lineage): VersionRecord[] =>
  lineage.versions.filter(
    (v) =>
      isKept(v) &&
      v.decision?.held !== false &&
      gateAnswer(v, "completion") === null &&
      doubtText(v) !== null &&
      !isReverted(lineage, v.name),
  );

/** Whether a person approved a version that an evolution went on without. */
export const isReleased = (version: VersionRecord, lineage: Lineage): boolean =>
  isKept(version) &&
  isApproved(version) &&
  version.decision?.held !== false &&
  doubtText(version) !== null &&
  !isReverted(lineage, version.name) &&
  whyHeld(version, lineage) === null;

const isKept = ({ decision, standing }: VersionRecord): boolean =>
  decision?.decision === "keep" && standing !== "claim";

const isApproved = (version: VersionRecord): boolean =>
  gateAnswer(version, "completion")?.answer === "approve";

function doubtText({ name, decision }: VersionRecord): string | null {
  const elsewhere = decision?.inParentEnvironment;
  if (decision === undefined || elsewhere === undefined || !isDoubtful(decision)) return null;
  const [way] = decision.newWays ?? [];
  return way === undefined
    ? `${elsewhereText(elsewhere)} \`evotrainer compare ${name} ${elsewhere.parent} --flips\` names rollouts that pass.`
    : `${newWayText(way, elsewhere.parent)} ${elsewhereText(elsewhere)} \`evotrainer gaps ${name} --write ${way.name}\` makes a diagnostic of it.`;
}
