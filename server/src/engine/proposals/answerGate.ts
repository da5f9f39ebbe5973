import { userInfo } from "node:os";
import type { GateName } from "../../../../shared/spec/gates.ts";
import { HarnessError } from "../../base/errors.ts";
import { answerProposal, type Answer, type Answered } from "../../proposals/answerProposal.ts";
import { answersAt, approvalEntry, type Approval } from "../../proposals/standing/approval.ts";
import { droppedEntry } from "../../proposals/commitProposal.ts";
import type { ProposalPorts } from "../../proposals/ports.ts";
import { refusalText, stateOf, versionIn } from "../../proposals/standing/proposal.ts";
import { smokeTrials } from "../training/smokeTrials.ts";
import type { OpenDomain } from "./openDomain.ts";
import { committedGates, waitingGates } from "./waitingGates.ts";

export interface GateAnswered extends Answered {
  readonly gate: GateName;
}

/**
 * Answers a gate of a version, for the command line, the editor and whoever else is asked: the one that is named, or the one
 * that the version waits at; the completion gate only by its name. What waits at no gate is not answered.
 * @throws HarnessError notFound, badInput, and those of answerProposal
 */
export async function answerGate(
  open: OpenDomain,
  ports: ProposalPorts,
  {
    id,
    gate: asked,
    answer,
    by = userInfo().username,
  }: { readonly id: string; readonly gate?: GateName; readonly answer: Answer; readonly by?: string },
): Promise<GateAnswered> {
  const { domain, lineage, workspace } = open;
  const version = versionIn(lineage, id);
  const waiting = (await waitingGates(open)).filter((w) => w.version === id);
  // What opens the audit split is answered by its name: an answer that is given twice must not open it.
  const gate = asked ?? waiting.find((w) => w.gate !== "completion")?.gate ?? "design";
  const author = version.hypothesis?.proposer;
  if (by === author && (await committedGates(open))[gate] === "proposer-of-another-kind")
    throw new HarnessError(
      "badInput",
      `${by} proposed ${id}, and \`gates.${gate}\` asks a proposer of another kind; let somebody else answer.`,
    );
  if (gate === "design") {
    const trials = smokeTrials(workspace, domain);
    const ground = { domain, lineage, repository: workspace.repository, ports, trials };
    return { ...(await answerProposal(ground, { id, answer, by })), gate };
  }
  const place = waiting.find((w) => w.gate === gate);
  if (place === undefined)
    throw new HarnessError(
      "badInput",
      `${id} does not wait at the ${gate} gate; \`evotrainer review\` lists what is waiting, and at which gate.`,
    );
  if (gate === "completion" && answer.type === "revise")
    throw new HarnessError(
      "badInput",
      `${id} is decided, so there is nothing to revise; approve or reject its promotion, or propose a change of it with \`evotrainer propose --parent ${id}\`.`,
    );
  const { generation } = place;
  const at = new Date().toISOString();
  const given = { domain, version: id, gate, by, at, ...(generation === undefined ? {} : { generation }) };
  const entry = approvalEntry(given, answersAt(version, gate, generation).length, saidOf(answer));
  const isDropped = gate === "backtest" && answer.type === "reject";
  const reason = refusalText({ answer: answer.type, comment: entry.comment ?? null }, gate);
  await ports.appendToLedger([
    entry,
    ...(isDropped ? [droppedEntry({ at, domain, version: id }, reason)] : []),
  ]);
  const state = isDropped ? "rejected" : answer.type === "revise" ? "revising" : stateOf(version);
  return { id, state, commit: version.commit, branch: null, hunks: null, gate };
}

function saidOf(answer: Answer): Pick<Approval, "answer" | "comment"> {
  if (answer.type === "approve" && answer.hunks !== undefined)
    throw new HarnessError("badInput", "Hunks are chosen at the design gate only.");
  if (answer.type === "revise" && answer.texts !== undefined)
    throw new HarnessError("badInput", "Another text is given at the design gate only.");
  const comment = answer.type === "reject" ? answer.reason : answer.comment;
  return { answer: answer.type, ...(comment === undefined || comment === "" ? {} : { comment }) };
}
