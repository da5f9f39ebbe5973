import type { LedgerEntry } from "../../../../shared/ledger/ledger.ts";
import type { GateName } from "../../../../shared/spec/gates.ts";
import { HarnessError } from "../../base/errors.ts";
import { listed } from "../../base/similar.ts";
import { plural } from "../../../../shared/words/numbers.ts";
import type { Passage } from "../../decision/gates/whoAnswers.ts";
import { approvalEntry, type GivenAt } from "../../proposals/standing/approval.ts";
import { droppedEntry } from "../../proposals/commitProposal.ts";
import { refusalText, type GateAnswer } from "../../proposals/standing/proposal.ts";
import type { LoopPorts } from "../ports.ts";
import type { Candidate, LoopState } from "../state.ts";

/** How a gate of a version stands: it has its answer, or what comes of it without one. */
export type GateStanding =
  | ({ readonly type: "answered" } & Omit<GateAnswer, "hasNewText">)
  /** `before`: how many answers it had, of which none counts any more. */
  | (Passage & { readonly before: number });

export interface ApprovalSource {
  /** How a gate stands by what is in force at this moment; the diagnosis gate is asked in each generation. */
  readonly ask: (question: {
    readonly version: string;
    readonly gate: GateName;
    readonly generation?: number;
  }) => Promise<GateStanding>;
  /** The proposer's other draft for a candidate that was sent back with a comment, or why it has no other one. */
  readonly revise: (candidate: Candidate, comment: string) => Promise<Revision>;
}

/** What a proposer answers to `revise`: a draft in the candidate's place, which comes to the same gate, or why not. */
export type Revision =
  | { readonly type: "draft"; readonly candidate: Candidate }
  | { readonly type: "none"; readonly reason: string };

/** The gates between a proposal and its training. */
const beforeTraining = ["design", "backtest"] as const satisfies readonly GateName[];

/**
 * Asks the gates before training for each candidate that is left: what is approved becomes a version, what is not is
 * decided by that. What was sent back is answered by its proposer with another draft, which is asked about in turn.
 * @throws HarnessError gateWaiting when a human must answer first, projectInvalid where nobody can
 */
export async function approve(
  state: LoopState,
  approvals: ApprovalSource,
  ports: LoopPorts,
): Promise<Candidate[]> {
  const candidates: Candidate[] = [];
  const waiting: Waiting[] = [];
  for (const first of state.candidates) {
    let candidate: Candidate | null = first;
    while (candidate !== null) {
      const asked: Asked =
        candidate.pruned === null ? await ask(state, candidate, approvals, ports) : { type: "over" };
      if (asked.type === "waits") waiting.push(asked);
      const reason = asked.type === "refused" ? asked.reason : candidate.pruned;
      if (asked.type === "refused") {
        const common = { at: ports.now(), domain: state.domain, version: candidate.version };
        await ports.appendToLedger([droppedEntry(common, asked.reason)]);
      }
      // What was accepted may be less than, or other than what was proposed.
      const accepted = asked.type === "passed" ? await ports.acceptProposal(candidate.version) : {};
      candidates.push({ ...candidate, ...accepted, pruned: reason });
      candidate = asked.type === "refused" ? asked.instead : null;
    }
  }
  const [one] = waiting;
  if (one === undefined) return candidates;
  const names = waiting.map(({ version }) => version).join(", ");
  const approved = candidates.filter(
    ({ version, pruned }) => pruned === null && !waiting.some((other) => other.version === version),
  );
  const held =
    approved.length === 0
      ? ""
      : ` ${listed(
          approved.map(({ version }) => version),
          "and",
        )} ${plural(approved.length, "is", "are")} approved, and ${plural(approved.length, "is", "are")} trained once all of this generation have an answer.`;
  throw new GateWaits(
    `Waiting for approval of ${names}, because ${one.why}; answer with \`evotrainer review <version> approve|revise|reject\` and run \`evotrainer evolve\` again.${held}`,
    { ...state, candidates },
  );
}

/** A gate waits; what was answered before it is in the state. */
export class GateWaits extends HarnessError {
  readonly state: LoopState;
  constructor(message: string, state: LoopState) {
    super("gateWaiting", message);
    this.state = state;
  }
}

interface Waiting {
  readonly type: "waits";
  readonly version: string;
  readonly why: string;
}

type Asked =
  /** It was pruned before. */
  | { readonly type: "over" }
  | { readonly type: "passed" }
  | Waiting
  | { readonly type: "refused"; readonly reason: string; readonly instead: Candidate | null };

async function ask(
  { domain }: LoopState,
  candidate: Candidate,
  approvals: ApprovalSource,
  ports: LoopPorts,
): Promise<Asked> {
  const { version } = candidate;
  for (const gate of beforeTraining) {
    const standing = await approvals.ask({ version, gate });
    switch (standing.type) {
      case "waits":
        return { type: "waits", version, why: standing.why };
      case "closed":
        throw new HarnessError("projectInvalid", standing.reason);
      case "passes":
        await ports.appendToLedger(passed({ domain, version, gate, at: ports.now() }, standing));
        break;
      case "answered":
        if (standing.answer !== "approve") return refused(candidate, standing, gate, approvals);
    }
  }
  return { type: "passed" };
}

/** The entry of a gate that is passed without asking; none where nobody has to be told by whom. */
export function passed(
  given: Omit<GivenAt, "by">,
  { by, before }: { readonly by: string | null; readonly before: number },
): LedgerEntry[] {
  return by === null ? [] : [approvalEntry({ ...given, by }, before, { answer: "approve" })];
}

/** What was sent back goes to its proposer with the comment; what was rejected goes nowhere. */
async function refused(
  candidate: Candidate,
  answer: Omit<GateAnswer, "hasNewText">,
  gate: GateName,
  approvals: ApprovalSource,
): Promise<Asked> {
  const reason = refusalText(answer, gate);
  if (answer.answer === "reject") return { type: "refused", reason, instead: null };
  const revision = await approvals.revise(candidate, answer.comment ?? "");
  if (revision.type === "none")
    return {
      type: "refused",
      reason: `${reason.replace(/([^.])$/, "$1.")} ${revision.reason}`,
      instead: null,
    };
  const { candidate: instead } = revision;
  return {
    type: "refused",
    reason: `${reason.replace(/([^.])$/, "$1.")} ${instead.version} answers it.`,
    instead,
  };
}
