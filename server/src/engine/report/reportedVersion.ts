import { reasonWithAlerts } from "../../decision/hypothesisText.ts";
import { saidReason } from "../../../../shared/words/guardrailText.ts";
import type { LedgerEntry } from "../../../../shared/ledger/ledger.ts";
import type { VersionReport } from "../../../../shared/ledger/lineage.ts";
import type { ReportedVersion } from "../../../../shared/report/evolutionReport.ts";
import type { VersionRecord } from "../../lineage/records/versionRecord.ts";
import { saidBy } from "../../lineage/trust/saidBy.ts";

type Of<T extends LedgerEntry["type"]> = Readonly<Extract<LedgerEntry, { type: T }>>;

/** A version with all that the ledger knows of it. `shown` is what the lineage shows of it. */
export function reportedVersion(version: VersionRecord, shown: VersionReport): ReportedVersion {
  const { selection, audit } = version.evidence;
  const { name, commit, parent, generation, at, title, factor, promotion } = version;
  const { alias, author, hypothesis, measured, cleanScore, tags, notes, origin } = shown;
  return {
    ...{ name, alias, commit, parent, generation, at, title, factor, author, hypothesis },
    merges: version.merges ?? null,
    without: version.without ?? null,
    joins: version.joins ?? null,
    score: selection?.score ?? null,
    ...{ cleanScore, measured, tags, notes, origin },
    cleanBy: selection?.cleanBy ?? null,
    seeds: selection?.seeds ?? null,
    labels: selection?.labels.filter(({ labelled }) => labelled > 0) ?? [],
    looks: version.screenings.map((look) => ({
      ...{ at: look.at, seeds: look.seeds, verdict: look.verdict, reason: look.reason },
    })),
    decisions: version.decisions.map((entry) => decisionOf(entry, selection?.labels ?? [])),
    pending: version.decision === undefined ? shown.reason : null,
    approvals: version.approvals.map((approval) => ({
      ...{ at: approval.at, gate: approval.gate, answer: approval.answer, by: saidBy(approval) },
      comment: approval.comment ?? null,
    })),
    jobs: version.jobs.map(jobOf),
    audit: audit?.score ?? null,
    ...(shown.audit?.gap === undefined ? {} : { auditGap: shown.audit.gap }),
    promotion:
      promotion === undefined ? null : { at: promotion.at, gap: promotion.gap, reason: promotion.reason },
    claims: [...version.claims],
  };
}

function decisionOf(
  entry: Of<"decision">,
  labels: Parameters<typeof reasonWithAlerts>[2] & Parameters<typeof saidReason>[1],
): ReportedVersion["decisions"][number] {
  const { at, decision, reason, comparison, rules } = entry;
  return {
    ...{ at, decision, comparison },
    reason: reasonWithAlerts(saidReason(reason, labels), entry.hypothesis, labels),
    stage: entry.stage ?? null,
    confidence: rules?.confidence ?? null,
    candidates: rules?.candidates ?? null,
    hypothesis: entry.hypothesis ?? null,
    evidence: entry.evidence.map(({ rollout, turns, label }) => ({ rollout, turns: [...turns], label })),
  };
}

function jobOf(entry: Of<"job">): ReportedVersion["jobs"][number] {
  const { at, job, failure, message, seconds } = entry;
  return {
    ...{ at, job, failure, message, seconds },
    trainSeconds: entry.trainSeconds ?? null,
    evaluationSeconds: entry.evaluationSeconds ?? null,
    host: entry.host ?? null,
    gpus: entry.gpus ?? null,
    price: entry.price ?? null,
  };
}
