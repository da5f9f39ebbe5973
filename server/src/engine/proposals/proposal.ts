import type { ProposalSummary } from "../../../../shared/protocol/proposals.ts";
import type { Lineage, VersionRecord } from "../../lineage/graph.ts";
import type { EarlierProposal } from "../../loop/ports.ts";
import type { GateAnswer } from "../../loop/steps/approve.ts";

/**
 * Where a proposal stands. waiting: for its answer at the design gate. revising: sent back without another text.
 * taken: approved. rejected: by a person. dropped: by its backtest or the loop, without a person.
 */
export type ProposalState = ProposalSummary["state"];

/** Whether a version came as a proposal: a change of its parent that claims something, made here. */
export function isProposal({ hypothesis, parent, origin }: VersionRecord): boolean {
  return hypothesis !== undefined && parent !== null && origin === undefined;
}

/** The last answer of a version's design gate, or null. */
export function gateAnswer({ approvals }: Pick<VersionRecord, "approvals">): GateAnswer | null {
  const last = approvals.findLast((a) => a.gate === "design");
  if (last === undefined) return null;
  return {
    answer: last.answer,
    comment: last.comment ?? null,
    hasNewText: last.answer === "revise" && last.commit !== undefined,
  };
}

/** Where the proposal behind a version stands. */
export function stateOf(version: VersionRecord): ProposalState {
  const answer = gateAnswer(version);
  if (answer?.answer === "approve" || version.jobs.length > 0) return "taken";
  if (answer?.answer === "reject") return "rejected";
  if (version.decision !== undefined) return answer?.answer === "revise" ? "revising" : "dropped";
  return answer?.answer === "revise" && !answer.hasNewText ? "revising" : "waiting";
}

/** A proposal as the loop needs to know it. */
export function earlierProposal(version: VersionRecord): EarlierProposal {
  const { name, commit, intervention, title, decision, jobs } = version;
  const isTaken = stateOf(version) === "taken" && decision === undefined && jobs.length === 0;
  return { version: name, commit, intervention, title, isTaken };
}

/** The first number that no version's name begins with. */
export function firstFreeNumber({ versions }: Pick<Lineage, "versions">): number {
  return Math.max(-1, ...versions.map((v) => Number(/^v(\d+)/.exec(v.name)?.[1] ?? -1))) + 1;
}
