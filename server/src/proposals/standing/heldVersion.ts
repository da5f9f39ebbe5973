import { elsewhereText, isDoubtful, newWayText } from "../../../../shared/ledger/newWayText.ts";
import { findVersion, type Lineage } from "../../lineage/graph.ts";
import { isApproved, isHeldBack } from "../../lineage/records/held.ts";
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
  for (const at of unanswered(version, lineage)) {
    const doubt = doubtText(at);
    if (doubt === null) continue;
    const whose = at.name === name ? "its gain" : `the gain of ${at.name}, from which it was made,`;
    return `${name} waits for a person, because ${whose} may be a shortcut. ${doubt} If the rollouts that pass really solve the task, run \`evotrainer promote ${name} --approve\`; if not, run \`evotrainer revert ${at.name}\`.`;
  }
  return null;
}

/** Whether an evolution goes on without a version until then. One that goes by scores alone or at random does not. */
export const isSetAside = (version: VersionRecord, lineage: Lineage): boolean =>
  unanswered(version, lineage).some(isHeldBack);

/** A proposal and the proposals that it was made of, the nearest first: a merge was made of two. */
export function withThoseAbove(
  version: VersionRecord,
  lineage: Lineage,
  goesAbove: (at: VersionRecord) => boolean = () => true,
): VersionRecord[] {
  const above = new Set([version].filter(isProposal));
  for (const at of above)
    for (const name of goesAbove(at) ? [at.parent, at.merges] : []) {
      const next = name == null ? undefined : findVersion(lineage, name);
      if (next !== undefined && isProposal(next)) above.add(next);
    }
  return [...above];
}

/** Those of them that no person answers for: who approved a version looked at what it was made of as well. */
const unanswered = (version: VersionRecord, lineage: Lineage): VersionRecord[] =>
  withThoseAbove(version, lineage, (at) => !isApproved(at)).filter((at) => !isApproved(at));

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
    const own = withThoseAbove(version, lineage);
    const isAbove = own.some(({ parent }) => parent === root);
    if (!isAbove || own.some(({ name }) => isReverted(lineage, name))) return [];
    const held = own.filter(isHeldBack).map(({ name }) => name);
    return held.length === 0 ? [] : [{ version, held }];
  });
}

const isKept = ({ decision, standing }: VersionRecord): boolean =>
  decision?.decision === "keep" && standing !== "claim";

function doubtText({ name, decision }: VersionRecord): string | null {
  const elsewhere = decision?.inParentEnvironment;
  if (decision === undefined || elsewhere === undefined || !isDoubtful(decision)) return null;
  const [way] = decision.newWays ?? [];
  return way === undefined
    ? `${elsewhereText(elsewhere)} \`evotrainer compare ${name} ${elsewhere.parent} --flips\` names rollouts that pass.`
    : `${newWayText(way, elsewhere.parent)} ${elsewhereText(elsewhere)} \`evotrainer gaps ${name} --write ${way.name}\` makes a diagnostic of it.`;
}
