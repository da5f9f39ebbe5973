import { HarnessError } from "../../base/errors.ts";
import { gateKeeper, type GateKeeper } from "../../decision/gateKeeper.ts";
import type { Project } from "../../project/project.ts";
import { droppedEntry } from "../../proposals/commitProposal.ts";
import { refusalText, type GateAnswer } from "../../proposals/proposal.ts";
import type { LoopPorts } from "../ports.ts";
import type { Candidate, LoopState } from "../state.ts";

export interface ApprovalSource {
  /** Who approved every gate of this run in advance, if anyone did. */
  readonly inAdvance: string | null;
  /** The answer that the ledger holds for a version's design gate: the last one. */
  readonly answerFor: (version: string) => Promise<GateAnswer | null>;
  /**
   * Why a version may not be approved without a person who looks at it, in a sentence: its code was not tried, or does not
   * work. `by`: the rule in force, or a person who approved in advance. Null where it may be.
   */
  readonly whyUntried: (version: string, by: "rule" | "person") => Promise<string | null>;
}

/**
 * Asks the design gate for each candidate that is left: what is approved becomes a version, what is not is decided by that.
 * @throws HarnessError gateWaiting when a human must answer first
 */
export async function approve(
  state: LoopState,
  project: Project,
  approvals: ApprovalSource,
  ports: LoopPorts,
): Promise<Candidate[]> {
  const refused = await refusedOf(state, project, approvals, ports);
  const candidates: Candidate[] = [];
  for (const candidate of state.candidates) {
    const { version } = candidate;
    const reason = refused.get(version);
    if (reason !== undefined) {
      const common = { at: ports.now(), domain: state.domain, version };
      await ports.appendToLedger([droppedEntry(common, reason)]);
      candidates.push({ ...candidate, pruned: reason });
    } else if (candidate.pruned !== null) candidates.push(candidate);
    // What was accepted may be less than, or other than what was proposed.
    else candidates.push({ ...candidate, ...(await ports.acceptProposal(version)) });
  }
  return candidates;
}

/** The versions that must not be trained, each with the reason. @throws HarnessError gateWaiting */
async function refusedOf(
  state: LoopState,
  project: Project,
  approvals: ApprovalSource,
  ports: LoopPorts,
): Promise<ReadonlyMap<string, string>> {
  const refused = new Map<string, string>();
  const waiting = new Map<string, string>();
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
    const why =
      by === null
        ? whyOf(keeper)
        : await approvals.whyUntried(candidate.version, keeper.who === "rule" ? "rule" : "person");
    if (by === null || why !== null) {
      waiting.set(candidate.version, why ?? "");
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
  if (waiting.size > 0)
    throw new HarnessError(
      "gateWaiting",
      `Waiting for approval of ${[...waiting.keys()].join(", ")}, because ${[...new Set(waiting.values())].join(", and ")}; answer with \`evotrainer review <version> approve|revise|reject\` and run \`evotrainer evolve\` again.`,
    );
  return refused;
}

const whyOf = (keeper: GateKeeper): string => (keeper.who === "human" ? keeper.why : "");
