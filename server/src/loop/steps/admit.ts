import { HarnessError } from "../../base/errors.ts";
import { approvalEntry } from "../../proposals/standing/approval.ts";
import { droppedEntry } from "../../proposals/commitProposal.ts";
import { refusalText } from "../../proposals/standing/proposal.ts";
import type { LoopPorts } from "../ports.ts";
import type { LoopState } from "../state.ts";
import type { ApprovalSource } from "./approve.ts";

export type AdmitPorts = Pick<
  LoopPorts,
  "harnessProposals" | "admit" | "acceptProposal" | "appendToLedger" | "emit" | "now"
>;

/** The gates before a harness version is admitted: the same as before a training. */
const gates = ["design", "backtest"] as const;

/**
 * Takes up the harness versions that were proposed outside the loop, between two generations: those that their gates let
 * through are admitted or not on the archive, and trained in no case. One that waits holds nothing up.
 */
export async function admitProposed(
  { domain }: Pick<LoopState, "domain">,
  ask: ApprovalSource["ask"],
  ports: AdmitPorts,
): Promise<void> {
  for (const { version, isOpen } of await ports.harnessProposals()) {
    if (!isOpen) continue;
    const asked = await passes({ domain, version }, ask, ports);
    if (asked === "waits") continue;
    if (asked === "passed") {
      await ports.acceptProposal(version);
      await admitOne(version, ports);
      continue;
    }
    await ports.appendToLedger([droppedEntry({ at: ports.now(), domain, version }, asked.refused)]);
  }
}

/** Admits one, and says how it was decided. */
export async function admitOne(version: string, ports: Pick<LoopPorts, "admit" | "emit">): Promise<void> {
  const { decision, reason } = await ports.admit(version);
  ports.emit({ type: "decided", version, decision, stage: null, reason, score: null });
}

async function passes(
  { domain, version }: { readonly domain: string; readonly version: string },
  ask: ApprovalSource["ask"],
  ports: AdmitPorts,
): Promise<"passed" | "waits" | { readonly refused: string }> {
  for (const gate of gates) {
    const standing = await ask({ version, gate });
    switch (standing.type) {
      case "waits":
        ports.emit({
          type: "note",
          message: `${version} changes how evidence is read and waits for approval, because ${standing.why}; answer with \`evotrainer review ${version} approve|revise|reject\`. The evolution goes on without it.`,
        });
        return "waits";
      case "closed":
        throw new HarnessError("projectInvalid", standing.reason);
      case "passes":
        if (gate === "design" || standing.by !== null)
          await ports.appendToLedger([
            approvalEntry(
              { domain, version, gate, at: ports.now(), by: standing.by ?? "rule" },
              standing.before,
              { answer: "approve" },
            ),
          ]);
        break;
      case "answered":
        // What was sent back waits for who proposed it.
        if (standing.answer === "revise") return "waits";
        if (standing.answer === "reject") return { refused: refusalText(standing, gate) };
    }
  }
  return "passed";
}
