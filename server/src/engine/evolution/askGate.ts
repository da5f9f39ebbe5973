import { unnamedProposer } from "../../project/proposersOf.ts";
import { HarnessError } from "../../base/errors.ts";
import type { GateName } from "../../../../shared/spec/gates.ts";
import { passage, whoAnswers } from "../../decision/gates/whoAnswers.ts";
import { findVersion, type Lineage } from "../../lineage/graph.ts";
import type { VersionRecord } from "../../lineage/records/versionRecord.ts";
import type { GateStanding } from "../../loop/steps/approve.ts";
import { proposersOf } from "../../project/proposersOf.ts";
import { answersAt } from "../../proposals/standing/approval.ts";
import { approvedAsOnRun } from "../../proposals/standing/approvedOnRun.ts";
import { gateHistory } from "../../proposals/standing/gateHistory.ts";
import { gateAnswer } from "../../proposals/standing/proposal.ts";
import type { InForceNow } from "./inForce.ts";
import { trustTheWriter } from "../../lineage/trust/standing.ts";

/**
 * How a gate of a version stands: by what is in force now, and by the ledger as it is now. @throws HarnessError notFound,
 * ledgerInvalid for a version that no engine made that is trusted here
 */
export function gateStanding(
  { gates, approvedBy }: Pick<InForceNow, "gates" | "approvedBy">,
  lineage: Lineage,
  { version: name, gate, generation }: { version: string; gate: GateName; generation?: number },
): GateStanding {
  const version = findVersion(lineage, name);
  if (version === undefined)
    throw new HarnessError(
      "notFound",
      `The ledger has no version ${name}, although the evolution asks about it; run \`evotrainer evolve --restart\`.`,
    );
  refuseUnknownHand(version);
  const answer = gateAnswer(version, gate, generation);
  if (answer !== null && !answer.hasNewText) return { type: "answered", ...answer };
  // A person let the same change pass where it was proposed of an imported run.
  const before = answersAt(version, gate, generation).length;
  const onRun = gate === "diagnosis" ? null : approvedAsOnRun(lineage, version, gate);
  if (onRun !== null && answer === null) return { type: "passes", by: onRun.by, before };
  const author = gate === "diagnosis" ? null : (version.hypothesis?.proposer ?? unnamedProposer);
  const answerer = whoAnswers({ ...gateHistory(lineage), gate, gates, proposers: proposersOf(), author });
  return { ...passage(answerer, approvedBy), before };
}

/** No rule answers for a version that no engine made: nobody checked what it changes. */
function refuseUnknownHand({ name, standing, approvals }: VersionRecord): void {
  if (standing !== "claim" || approvals.length > 0) return;
  throw new HarnessError(
    "ledgerInvalid",
    `${name} is not trained: no engine that you trust wrote it into the ledger; look at it with \`evotrainer review ${name}\` and answer there, or ${trustTheWriter}.`,
  );
}
