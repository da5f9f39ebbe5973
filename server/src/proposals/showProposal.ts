import { unnamedProposer } from "../project/proposersOf.ts";
import type { Proposal, ProposalFile, ProposalSummary } from "../../../shared/protocol/views/proposals.ts";
import { HarnessError } from "../base/errors.ts";
import { wholeRecord, type Lineage } from "../lineage/graph.ts";
import type { VersionRecord } from "../lineage/records/versionRecord.ts";
import type { FileChange } from "../lineage/hunks.ts";
import type { Repository } from "../lineage/repository.ts";
import { loadProjectSpec } from "../project/project.ts";
import type { FileSource } from "../project/source.ts";
import { changesOf } from "./answerProposal.ts";
import { claimsAfter, saidStatement } from "./difference/claims.ts";
import { costEstimate } from "../decision/budgets/costEstimate.ts";
import { saidBy } from "../lineage/trust/saidBy.ts";
import { titleOf } from "./difference/difference.ts";
import { trialOf, trialText } from "./trial.ts";
import { isAlteredUntold, isProposal, stateOf, termsOf, versionIn } from "./standing/proposal.ts";

/** A proposal on one line, with what was answered so far. */
function summaryOf(version: VersionRecord): ProposalSummary {
  const { name, parent, commit, title, factor, intervention, at, hypothesis, decision } = version;
  return {
    id: name,
    parent: parent ?? "",
    commit,
    title,
    factor,
    intervention,
    at,
    proposer: hypothesis?.proposer ?? unnamedProposer,
    state: stateOf(version),
    reason: decision?.decision === "prune" ? decision.reason : null,
    answers: version.approvals
      .filter((a) => a.gate === "design")
      .map((approval) => ({
        answer: approval.answer,
        by: saidBy(approval),
        at: approval.at,
        comment: approval.comment ?? null,
        hunks: approval.hunks ?? null,
      })),
    ...(version.claims.length === 0 ? {} : { claims: [...version.claims] }),
  };
}

/** The proposals of a domain, the newest first; only those that wait for an answer or another text, unless all are asked for. */
export function listProposals({ versions }: Lineage, all: boolean): ProposalSummary[] {
  return versions
    .filter(isProposal)
    .map(summaryOf)
    .filter((p) => all || p.state === "waiting" || (p.state === "revising" && p.reason === null))
    .reverse();
}

/**
 * Everything that a reviewer needs of one proposal, apart from its proposer's record.
 * @throws HarnessError notFound, badInput
 */
export async function showProposal(
  ground: {
    readonly lineage: Lineage;
    readonly repository: Repository;
    readonly source: (commit: string) => FileSource;
  },
  id: string,
): Promise<Omit<Proposal, "record">> {
  const { lineage } = ground;
  const recorded = versionIn(lineage, id);
  if (!isProposal(recorded))
    throw new HarnessError("badInput", `${id} is not a proposal; it was not made for review.`);
  const { parentCommit, files } = await changesOf(ground, recorded);
  const outcome = files.map((c) => ({ path: c.path, before: c.base, after: c.proposed }));
  const spec = await loadProjectSpec(ground.source(parentCommit));
  const version = isAlteredUntold(recorded) ? toldAgain(recorded, files) : recorded;
  const { hypothesis, backtest } = version;
  const { success, guardrails } = termsOf(version, undefined);
  return {
    ...summaryOf(version),
    files: files.map((file): ProposalFile => ({
      path: file.path,
      base: file.base,
      proposed: file.proposed,
      hunks: file.hunks.map((h) => ({ ...h, removed: [...h.removed], added: [...h.added] })),
    })),
    hypothesis: hypothesis === undefined ? "" : saidStatement(hypothesis, version.proposedAs),
    because: hypothesis?.speaksOf === "none" ? null : (hypothesis?.spec?.hypothesis.because ?? null),
    targets: hypothesis?.targets ?? [],
    fixes: hypothesis?.predictedFixes ?? [],
    risks: hypothesis?.predictedRisks ?? [],
    success: success === null ? null : { ...success },
    guardrails: guardrails.map((g) => ({ ...g })),
    backtest: backtest === undefined ? null : { summary: backtest.summary, figures: backtest.figures },
    cost: costEstimate(lineage),
    trial: trialText(trialOf(version, { spec, files: outcome, commit: version.commit })),
  };
}

/** A release before did not write down what was altered at the gate; the commits still say it. */
function toldAgain(version: VersionRecord, changes: readonly FileChange[]): VersionRecord {
  const files = changes.map((c) => ({ path: c.path, before: c.base, after: c.proposed }));
  const { hypothesis, proposedAs } = version;
  return {
    ...wholeRecord(version),
    title: titleOf(files),
    ...(hypothesis === undefined
      ? {}
      : { hypothesis: claimsAfter(hypothesis, proposedAs, files, hypothesis) }),
  };
}
