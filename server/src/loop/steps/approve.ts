import type { GateAnswerWord } from "../../../../shared/words/decisions.ts";
import { HarnessError } from "../../base/errors.ts";
import { gateKeeper } from "../../gates/gate.ts";
import type { Project } from "../../project/project.ts";
import type { LoopPorts } from "../ports.ts";
import type { LoopState } from "../state.ts";

export interface ApprovalSource {
  /** Who approved every gate of this run in advance, if anyone did. */
  readonly inAdvance: string | null;
  /** The answer that the ledger holds for a version's design gate: the last one. */
  readonly answerFor: (version: string) => Promise<GateAnswer | null>;
}

export interface GateAnswer {
  readonly answer: GateAnswerWord;
  readonly comment: string | null;
  /** Of revise: a changed text was given along, and waits for its own answer. */
  readonly hasNewText: boolean;
}

/**
 * Asks the design gate for each candidate that is left. Answers with the versions that must not be trained, each with the
 * reason. @throws HarnessError gateWaiting when a human must answer first
 */
export async function approve(
  state: LoopState,
  project: Project,
  approvals: ApprovalSource,
  ports: LoopPorts,
): Promise<ReadonlyMap<string, string>> {
  const refused = new Map<string, string>();
  const waiting: string[] = [];
  const keeper = gateKeeper({
    gates: project.spec.gates,
    versionsDecided: state.tried.length,
    failuresInARow: state.failuresInARow,
  });
  for (const candidate of state.candidates) {
    if (candidate.pruned !== null) continue;
    const answer = await approvals.answerFor(candidate.version);
    if (answer?.answer === "approve") continue;
    if (answer !== null && !answer.hasNewText) {
      refused.set(candidate.version, refusalText(answer));
      continue;
    }
    const by = keeper.who === "rule" ? "rule: autonomy full" : approvals.inAdvance;
    if (by === null) {
      waiting.push(candidate.version);
      continue;
    }
    await ports.appendToLedger([
      {
        id: `approval:${candidate.version}:design${answer === null ? "" : ":rule"}`,
        at: ports.now(),
        domain: state.domain,
        type: "approval",
        version: candidate.version,
        gate: "design",
        answer: "approve",
        by,
      },
    ]);
  }
  if (waiting.length > 0 && keeper.who === "human")
    throw new HarnessError(
      "gateWaiting",
      `Waiting for approval of ${waiting.join(", ")}, because ${keeper.why}; answer with \`evotrainer review <version> approve|revise|reject\` and run \`evotrainer evolve\` again.`,
    );
  return refused;
}

/** Why a version is not trained, as the lineage keeps it. */
export function refusalText({ answer, comment }: Pick<GateAnswer, "answer" | "comment">): string {
  const what = answer === "revise" ? "Sent back at the design gate" : "Rejected at the design gate";
  return comment === null || comment.trim() === "" ? `${what}.` : `${what}: ${comment.trim()}`;
}
