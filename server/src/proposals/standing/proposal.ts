import { saidStatement } from "../difference/claims.ts";
import type { GateAnswerWord } from "../../../../shared/words/decisions.ts";
import type { ProposalSummary } from "../../../../shared/protocol/views/proposals.ts";
import type { GateName } from "../../../../shared/spec/gates.ts";
import type { InterventionSpec } from "../../../../shared/spec/intervention.ts";
import { meantVersion } from "../../base/meantVersion.ts";
import type { Terms } from "../../decision/decide.ts";
import { answersAt } from "./approval.ts";
import type { Lineage } from "../../lineage/graph.ts";
import type { VersionRecord } from "../../lineage/records/versionRecord.ts";

/**
 * Where a proposal stands. waiting: for its answer at the design gate. revising: sent back without another text.
 * taken: approved. rejected: by a person. dropped: by its backtest or the loop, without a person.
 */
export type ProposalState = ProposalSummary["state"];

/** The last answer of a gate of a version. */
export interface GateAnswer {
  readonly answer: GateAnswerWord;
  readonly comment: string | null;
  /** Of revise: a changed text was given along, and waits for its own answer. */
  readonly hasNewText: boolean;
}

/** Whether a version came as a proposal: a change of its parent that claims something, made here. */
export function isProposal({ hypothesis, parent, origin }: VersionRecord): boolean {
  return hypothesis !== undefined && parent !== null && origin === undefined;
}

/** The last answer of a gate of a version, or null; of its design gate unless another one is named. */
export function gateAnswer(
  version: Pick<VersionRecord, "approvals">,
  gate: GateName = "design",
  generation?: number,
): GateAnswer | null {
  const last = answersAt(version, gate, generation).at(-1);
  if (last === undefined) return null;
  return {
    answer: last.answer,
    comment: last.comment ?? null,
    hasNewText: last.answer === "revise" && last.commit !== undefined,
  };
}

/** Why a version is not trained, as the lineage keeps it. */
export function refusalText(
  { answer, comment }: Pick<GateAnswer, "answer" | "comment">,
  gate: GateName = "design",
): string {
  const what = `${answer === "revise" ? "Sent back" : "Rejected"} at the ${gate} gate`;
  return comment === null || comment.trim() === "" ? `${what}.` : `${what}: ${comment.trim()}`;
}

/** Where the proposal behind a version stands. */
export function stateOf(version: VersionRecord): ProposalState {
  const answer = gateAnswer(version);
  if (answer?.answer === "approve" || version.jobs.length > 0) return "taken";
  if (answer?.answer === "reject") return "rejected";
  if (version.decision !== undefined) return answer?.answer === "revise" ? "revising" : "dropped";
  return answer?.answer === "revise" && !answer.hasNewText ? "revising" : "waiting";
}

/** Whether a proposal is approved, and neither trained nor decided yet. */
export function isReadyToTrain(version: VersionRecord): boolean {
  return stateOf(version) === "taken" && version.decision === undefined && version.jobs.length === 0;
}

/**
 * Whether a version was altered at its gate by a release that did not write down what it changes then: its claims may be
 * of another change.
 */
export function isAlteredUntold({ approvals }: Pick<VersionRecord, "approvals">): boolean {
  const last = approvals.findLast((a) => a.commit !== undefined);
  return last !== undefined && last.change === undefined;
}

/** What a version is expected to do, in a sentence; null where nothing was ever said. */
export function hypothesisText(version: VersionRecord): string | null {
  const { hypothesis, proposedAs } = version;
  const statement = hypothesis === undefined ? null : saidStatement(hypothesis, proposedAs);
  return statement !== null && isAlteredUntold(version)
    ? `About the change as it was proposed, before it was altered at its gate: ${statement}`
    : statement;
}

/** On what terms a proposal was approved; `named` is the project's intervention, for ledgers that did not keep it. */
export function termsOf(version: VersionRecord | undefined, named: InterventionSpec | undefined): Terms {
  const spec = version?.hypothesis?.spec ?? named;
  if (spec === undefined) return { success: null, guardrails: [] };
  const success = version?.hypothesis?.speaksOf === "none" ? null : spec.success;
  return { success, guardrails: spec.guardrails };
}

/** The version of a name, or of the start of one. @throws HarnessError notFound, badInput when the start fits several */
export function versionIn({ versions }: Pick<Lineage, "versions">, asked: string): VersionRecord {
  const names = versions.map((v) => v.name);
  const found = versions[names.indexOf(meantVersion(asked, names))];
  if (found === undefined) throw new Error(`${asked} is not in the list that it was found in.`);
  return found;
}

/** The number that a version's name begins with; -1 without one. Longer ones somebody made up, to leave none over. */
export const numberIn = (name: string): number => Number(/^v(\d{1,9})(?!\d)/.exec(name)?.[1] ?? -1);

/** The first number that no version's name begins with. */
export function firstFreeNumber({ versions }: Pick<Lineage, "versions">): number {
  return Math.max(-1, ...versions.map(({ name }) => numberIn(name))) + 1;
}

/** v7 and continuous-reward give v7-continuous-reward, cut to the length that names may have. */
export function versionName(number: number, intervention: string): string {
  return `v${number}-${intervention}`.slice(0, 64).replace(/-+$/, "");
}
