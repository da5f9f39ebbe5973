import { HarnessError } from "../../base/errors.ts";
import { refusalText } from "../../proposals/proposal.ts";
import type { LoopPorts } from "../ports.ts";
import { passed, type ApprovalSource } from "./approve.ts";

/**
 * Asks the gate after a version was diagnosed, before anything is proposed for it. Answers with the reason where a person
 * rejected the diagnosis, and with null where it goes on. One that was sent back waits until it is approved: it is made
 * again, by what the diagnostics say then, each time the evolution goes on.
 * @throws HarnessError gateWaiting when a human must answer first, projectInvalid where nobody can
 */
export async function askDiagnosis(
  place: { readonly domain: string; readonly version: string; readonly generation: number },
  ask: ApprovalSource["ask"],
  ports: Pick<LoopPorts, "appendToLedger" | "now">,
): Promise<string | null> {
  const { version, generation } = place;
  const gate = "diagnosis";
  const standing = await ask({ version, gate, generation });
  const how = `look at it with \`evotrainer diagnose ${version}\`, answer with \`evotrainer review ${version} approve|revise|reject --gate diagnosis\` and run \`evotrainer evolve\` again.`;
  switch (standing.type) {
    case "passes":
      await ports.appendToLedger(passed({ ...place, gate, at: ports.now() }, standing));
      return null;
    case "waits":
      throw new HarnessError(
        "gateWaiting",
        `The diagnosis of ${version} waits for approval, because ${standing.why}; ${how}`,
      );
    case "closed":
      throw new HarnessError("projectInvalid", standing.reason);
    case "answered": {
      if (standing.answer === "approve") return null;
      const reason = refusalText(standing, gate);
      if (standing.answer === "reject") return `Nothing is tried on ${version}. ${reason}`;
      throw new HarnessError(
        "gateWaiting",
        `The diagnosis of ${version} waits for another answer. ${reason.replace(/([^.])$/, "$1.")} Change a diagnostic and commit it, or ${how}`,
      );
    }
  }
}
