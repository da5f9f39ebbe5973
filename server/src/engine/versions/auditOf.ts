import type { AuditScore } from "../../../../shared/ledger/auditScore.ts";
import { auditGap, type SplitScores } from "../../decision/auditGap.ts";
import { distrustOfRecord } from "../../decision/distrustOfRecord.ts";
import type { Lineage } from "../../lineage/graph.ts";
import type { VersionRecord } from "../../lineage/records/versionRecord.ts";
import { baselineOf } from "../../proposals/standing/auditDoor.ts";
import { isProposal } from "../../proposals/standing/proposal.ts";

/** A version's score on the audit split, and what it says beside the score that the version was chosen by; null while sealed. */
export function auditOf(version: VersionRecord, lineage: Lineage): AuditScore | null {
  const audit = version.evidence.audit?.score ?? null;
  if (audit === null) return null;
  const shown = { score: audit.value, low: audit.low, high: audit.high };
  const scores = scoresOf(version);
  if (scores === null) return shown;
  const baseline = baselineOf(lineage, version);
  return {
    ...shown,
    gap: auditGap({
      ...scores,
      isChosen: isProposal(version),
      baseline: baseline.name === version.name ? null : scoresOf(baseline),
    }),
  };
}

/** Null where one of the two is not there, or says nothing. */
function scoresOf(version: VersionRecord): SplitScores | null {
  const { selection, audit } = version.evidence;
  if (selection?.score == null || audit?.score == null || distrustOfRecord(version) !== undefined)
    return null;
  return { selection: selection.score, audit: audit.score };
}
