import { HarnessError } from "../../base/errors.ts";
import { gateKeeper } from "../../gates/gate.ts";
import type { Project } from "../../project/project.ts";
import type { LoopPorts } from "../ports.ts";
import type { LoopState } from "../state.ts";

export interface ApprovalSource {
  /** Who approved every gate of this run in advance, if anyone did. */
  readonly inAdvance: string | null;
  /** The answer that the ledger holds for a version's design gate. */
  readonly answerFor: (version: string) => Promise<"approve" | "revise" | "abort" | null>;
}

/**
 * Asks the design gate for each candidate that is left. Answers with the versions that must not be trained.
 * @throws HarnessError gateWaiting when a human must answer first
 */
export async function approve(
  state: LoopState,
  project: Project,
  approvals: ApprovalSource,
  ports: LoopPorts,
): Promise<ReadonlySet<string>> {
  const refused = new Set<string>();
  const waiting: string[] = [];
  const keeper = gateKeeper({
    gates: project.spec.gates,
    versionsDecided: state.tried.length,
    failuresInARow: state.failuresInARow,
  });
  for (const candidate of state.candidates) {
    if (candidate.pruned !== null) continue;
    const answer = await approvals.answerFor(candidate.version);
    if (answer === "approve") continue;
    if (answer !== null) {
      refused.add(candidate.version);
      continue;
    }
    const by = keeper.who === "rule" ? "rule: autonomy full" : approvals.inAdvance;
    if (by === null) {
      waiting.push(candidate.version);
      continue;
    }
    await ports.appendToLedger([
      {
        id: `approval:${candidate.version}:design`,
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
      `Waiting for approval of ${waiting.join(", ")}, because ${keeper.why}; answer with \`evotrainer review <version> approve|reject\` and run \`evotrainer evolve\` again.`,
    );
  return refused;
}
