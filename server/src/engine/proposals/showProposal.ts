import { HarnessError } from "../../base/errors.ts";
import type { VersionRecord } from "../../lineage/graph.ts";
import type { Proposal, ProposalFile, ProposalSummary } from "../../../../shared/protocol/proposals.ts";
import { changesOf } from "./answerProposal.ts";
import { costEstimate } from "./costEstimate.ts";
import type { OpenDomain } from "./openDomain.ts";
import { versionIn } from "./openDomain.ts";
import { isProposal, stateOf } from "./proposal.ts";

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
    proposer: hypothesis?.proposer ?? "catalogue",
    state: stateOf(version),
    reason: decision?.decision === "prune" ? decision.reason : null,
    answers: version.approvals
      .filter((a) => a.gate === "design")
      .map(({ answer, by, at: answered, comment = null, hunks = null }) => ({
        answer,
        by,
        at: answered,
        comment,
        hunks,
      })),
  };
}

/** The proposals of a domain, the newest first; only those that wait for an answer or another text, unless all are asked for. */
export function listProposals({ lineage }: OpenDomain, all: boolean): ProposalSummary[] {
  return lineage.versions
    .filter(isProposal)
    .map(summaryOf)
    .filter((p) => all || p.state === "waiting" || (p.state === "revising" && p.reason === null))
    .reverse();
}

/**
 * Everything that a reviewer needs of one proposal, apart from its proposer's record.
 * @throws HarnessError notFound, badInput
 */
export async function showProposal(open: OpenDomain, id: string): Promise<Omit<Proposal, "record">> {
  const version = versionIn(open.lineage, id);
  if (!isProposal(version))
    throw new HarnessError("badInput", `${id} is no proposal; it was not made to be reviewed.`);
  const { files } = await changesOf(open, version);
  const { hypothesis, backtest } = version;
  const spec = hypothesis?.spec ?? null;
  return {
    ...summaryOf(version),
    files: files.map((file): ProposalFile => ({
      path: file.path,
      base: file.base,
      proposed: file.proposed,
      hunks: file.hunks.map((h) => ({ ...h, removed: [...h.removed], added: [...h.added] })),
    })),
    hypothesis: hypothesis?.statement ?? "",
    because: spec?.hypothesis.because ?? null,
    targets: hypothesis?.targets ?? [],
    fixes: hypothesis?.predictedFixes ?? [],
    risks: hypothesis?.predictedRisks ?? [],
    success: spec === null ? null : { ...spec.success },
    guardrails: spec === null ? [] : spec.guardrails.map((g) => ({ ...g })),
    backtest: backtest === undefined ? null : { summary: backtest.summary, figures: backtest.figures },
    cost: costEstimate(open.lineage),
  };
}
