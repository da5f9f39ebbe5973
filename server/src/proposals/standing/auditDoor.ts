import { unnamedProposer } from "../../project/proposersOf.ts";
import type { ProjectSpec } from "../../../../shared/spec/project.ts";
import { passage, whoAnswers } from "../../decision/gates/whoAnswers.ts";
import { findVersion, type Lineage } from "../../lineage/graph.ts";
import type { VersionRecord } from "../../lineage/records/versionRecord.ts";
import { proposersOf } from "../../project/proposersOf.ts";
import { gateHistory } from "./gateHistory.ts";
import { whyHeld } from "./heldVersion.ts";
import { isHarness } from "./harnessVersions.ts";
import { gateAnswer, isProposal, refusalText } from "./proposal.ts";
import { stageOf } from "../../decision/testing/stage.ts";
import { trustTheWriter } from "../../lineage/trust/standing.ts";

/**
 * Whether the sealed audit split may be opened for a version. open: now, for it and for its baseline. opened: it was, and
 * the version is promoted. waits: for a person's approval. closed: not as things stand. A reason is one sentence.
 */
export type AuditDoor =
  | {
      readonly type: "open";
      readonly version: string;
      readonly baseline: string;
      /** The proposals that were trained, of which this is the best: whoever made them, and whatever became of them. */
      readonly tried: number;
      /** By what it is open although nobody answered: the rule, or an approval in advance; null where it was answered. */
      readonly by: string | null;
    }
  | { readonly type: "opened" }
  | { readonly type: "waits"; readonly reason: string }
  | {
      readonly type: "closed";
      readonly reason: string;
      /** It is closed only because a person rejected it, who may approve it after all. */
      readonly isRejected?: true;
    };

/**
 * The one door to the audit split. The version must be a change that was decided `keep` because it is better than what it
 * came from; it must not be reverted; and a person must have approved where the gates say so. Only what an engine that is
 * trusted here wrote into the ledger counts.
 */
export function auditDoor({
  lineage,
  version: name,
  gates,
  oneSeed = false,
  inAdvance = null,
}: {
  readonly lineage: Lineage;
  readonly version: string;
  /** Whether a person insists on a version that no further seed has confirmed. */
  readonly oneSeed?: boolean | undefined;
  /** Those of the newest commit of the user's branch; null where it has no sound project. */
  readonly gates: ProjectSpec["gates"] | null;
  /** Who approved the gates of this run in advance; null where nobody did. */
  readonly inAdvance?: string | null;
}): AuditDoor {
  const version = findVersion(lineage, name);
  const closed = (reason: string): AuditDoor => ({ type: "closed", reason });
  if (version === undefined)
    return closed(`The ledger has no version ${name}; \`evotrainer lineage\` lists those that it has.`);
  if (version.promotion !== undefined) return { type: "opened" };
  const unfit = unfitness(version, lineage);
  if (unfit !== null) return closed(unfit);
  if (stageOf(version) === "one_seed" && !oneSeed)
    return closed(
      `${name} was kept for what its first seed showed, and no further seed has confirmed that; allow more seeds for the next evolution (\`testing.seeds\`, \`budgets\`), or run \`evotrainer promote ${name} --one-seed\` if you insist.`,
    );
  const baseline = baselineOf(lineage, version);
  if (baseline.standing === "claim")
    return closed(
      `${name} is not promoted: no engine that you trust wrote its baseline ${baseline.name} into the ledger; ${trustTheWriter}.`,
    );
  const tried = lineage.versions.filter((v) => isProposal(v) && wasTrained(v)).length;
  if (gates === null)
    return closed(
      `${name} is not promoted: the newest commit of your branch has no sound evotrainer.yaml that says who opens the audit split; commit one.`,
    );
  const answer = gateAnswer(version, "completion");
  if (answer?.answer === "reject")
    return {
      type: "closed",
      isRejected: true,
      reason: `${name} is not promoted. ${refusalText(answer, "completion")} Approve it with \`evotrainer promote ${name} --approve\` if that was a mistake.`,
    };
  const way = passage(
    whoAnswers({
      ...gateHistory(lineage),
      gate: "completion",
      gates,
      proposers: proposersOf(),
      author: version.hypothesis?.proposer ?? unnamedProposer,
    }),
    inAdvance,
  );
  if (answer?.answer !== "approve") {
    const doubt = whyHeld(version, lineage);
    // Whatever the gates say, and also where it was approved in advance: nobody knew of it then.
    if (doubt !== null) return { type: "waits", reason: doubt };
    if (way.type === "closed") return closed(`${name} is not promoted. ${way.reason}`);
    if (way.type === "waits")
      return {
        type: "waits",
        reason: `The promotion of ${name} opens the sealed audit split and waits for approval, because ${way.why}; approve it with \`evotrainer promote ${name} --approve\`.`,
      };
    return { type: "open", version: name, baseline: baseline.name, tried, by: way.by };
  }
  return { type: "open", version: name, baseline: baseline.name, tried, by: null };
}

/** What nobody trained cannot have been better by luck. */
const wasTrained = ({ jobs, evidence }: VersionRecord): boolean =>
  jobs.length > 0 || evidence.selection !== undefined;

/** Why the audit split is not opened for a version, whoever asks; null where it may be. */
function unfitness(version: VersionRecord, lineage: Lineage): string | null {
  const { name, parent, decision, origin } = version;
  if (origin !== undefined)
    return `${name} was imported, so it cannot be promoted; promote a version that was trained here.`;
  const claim = version.claims[0];
  if (version.standing === "claim" || (decision === undefined && claim !== undefined))
    return claim === undefined
      ? `${name} is not promoted: no engine that you trust wrote it into the ledger; ${trustTheWriter}.`
      : `${name} is not promoted. ${claim}`;
  if (decision === undefined)
    return `${name} is not decided yet, and only a kept version can be promoted, since the audit split is opened once; run \`evotrainer evolve\` first.`;
  if (decision.decision !== "keep")
    return `${name} is not a kept version (${decision.decision}); only a kept version can be promoted, since the audit split is opened once.`;
  if (!isProposal(version))
    return `${name} is a baseline, which changes are compared with and which is never promoted; promote a version that was kept because it is better.`;
  if (isHarness(version))
    return `${name} changes only how evidence is read, so there is no policy to promote.`;
  if (decision.comparison === null || decision.comparison.verdict !== "improved")
    return `${name} was not found to be better than ${parent ?? "what it came from"}; promote a version that was.`;
  const revert = standingRevert(lineage, name);
  if (revert !== undefined)
    return `${name} is reverted by ${revert.name}; revert ${revert.name} to get it back before you promote it.`;
  return null;
}

/** What reverts a version and is not reverted itself. Here a claim counts too: what is opened cannot be sealed again. */
function standingRevert({ versions }: Lineage, name: string): VersionRecord | undefined {
  const reverts = (of: string, believed: boolean): VersionRecord[] =>
    versions.filter(
      (v) => v.parent === of && v.decision?.decision === "revert" && (!believed || v.standing !== "claim"),
    );
  return reverts(name, false).find((revert) => reverts(revert.name, true).length === 0);
}

/** What an evolution compares with: the nearest ancestor, or the version itself, that was trained as the harness was. */
export function baselineOf(lineage: Lineage, version: VersionRecord): VersionRecord {
  let at = version;
  while (isProposal(at) && at.parent !== null) {
    const parent = findVersion(lineage, at.parent);
    if (parent === undefined) break;
    at = parent;
  }
  return at;
}
