import { elsewhereText, isDoubtful, newWayText } from "../../../../shared/ledger/newWayText.ts";
import { findVersion, type Lineage } from "../../lineage/graph.ts";
import type { VersionRecord } from "../../lineage/records/versionRecord.ts";
import { isHarness } from "./harnessVersions.ts";
import { gateAnswer, isProposal } from "./proposal.ts";
import { isReverted } from "./revertVersion.ts";

/**
 * Why a kept version waits for a person before it is promoted, and what to do: its gain, or that of a version that it was made
 * of, may be a shortcut. Null where it does not, or somebody approved that one.
 */
export function whyHeld(version: VersionRecord, lineage: Lineage): string | null {
  const { name } = version;
  for (const at of withThoseAbove(version, lineage)) {
    // Who approved a version looked at what it was made of as well.
    if (isApproved(at)) return null;
    const doubt = doubtText(at);
    if (doubt === null) continue;
    const whose = at.name === name ? "its gain" : `the gain of ${at.name}, which it was made of,`;
    return `${name} waits for a person, because ${whose} may be a shortcut. ${doubt} If what passes solves the task, run \`evotrainer promote ${name} --approve\`; if not, run \`evotrainer revert ${at.name}\`.`;
  }
  return null;
}

/** Whether an evolution goes on without a version until then. One that goes by scores alone or at random does not. */
export function isSetAside(version: VersionRecord, lineage: Lineage): boolean {
  for (const at of withThoseAbove(version, lineage)) {
    if (isApproved(at)) return false;
    if (isHeldBack(at)) return true;
  }
  return false;
}

/** A proposal and the proposals that it was made of, the nearest first. */
export function withThoseAbove(version: VersionRecord, lineage: Lineage): VersionRecord[] {
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
    (v) => isKept(v) && isHeldBack(v) && gateAnswer(v, "completion") === null && !isReverted(lineage, v.name),
  );

/** A version that an evolution may go on from now, and those of its own line that it went on without: itself or what it was made of. */
export interface Released {
  readonly version: VersionRecord;
  readonly held: readonly string[];
}

/** What was kept above a version, was held, and is not any more, because a person approved it or what it was made of. */
export function releasedAbove(root: string, lineage: Lineage): Released[] {
  return lineage.versions.flatMap((version) => {
    if (!isKept(version) || isHarness(version) || isSetAside(version, lineage)) return [];
    const line = withThoseAbove(version, lineage);
    const place = line.findIndex(({ parent }) => parent === root);
    const own = line.slice(0, place + 1);
    if (own.some(({ name }) => isReverted(lineage, name))) return [];
    const held = own.filter(isHeldBack).map(({ name }) => name);
    return held.length === 0 ? [] : [{ version, held }];
  });
}

/** Whether an evolution goes on without a version, unless a person approved it. */
const isHeldBack = (version: VersionRecord): boolean =>
  version.decision?.held !== false && doubtText(version) !== null;

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
