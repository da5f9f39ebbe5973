import type { LineageReport, VersionReport } from "../../../shared/model/lineage.ts";
import { buildLineage, type VersionRecord } from "../lineage/graph.ts";
import { openLedger } from "../lineage/ledger.ts";
import { openRepository } from "../lineage/repository.ts";
import { loadProjectSpec } from "../project/project.ts";
import { workTree } from "../project/source.ts";

/**
 * The lineage of the project in `root`, as the views and `evotrainer lineage --json` show it. Reads git only: works while
 * another process owns the archive. @throws HarnessError projectMissing, projectInvalid, and those of openRepository
 */
export async function readLineageReport(root: string): Promise<LineageReport> {
  const spec = await loadProjectSpec(workTree(root));
  const repository = await openRepository(root, { readOnly: true });
  const { entries } = await openLedger(repository).read();
  const { versions } = buildLineage(entries, spec.domain);
  return { project: spec.name, domain: spec.domain, versions: versions.map(viewOf) };
}

function viewOf(v: VersionRecord): VersionReport {
  return {
    name: v.name,
    commit: v.commit,
    parent: v.parent,
    generation: v.generation,
    factor: v.factor,
    intervention: v.intervention,
    title: v.title,
    hypothesis: v.hypothesis?.statement ?? null,
    backtest: v.backtest?.summary ?? null,
    ...measured(v),
    ...decided(v),
    failure: v.jobs.findLast((j) => j.failure !== null)?.failure ?? null,
    promoted: v.promotion !== undefined,
    promotion: v.promotion?.reason ?? null,
    at: v.at,
  };
}

function measured({
  evidence,
}: VersionRecord): Pick<VersionReport, "score" | "low" | "high" | "cleanScore" | "audit" | "labels"> {
  const score = evidence.selection?.score ?? null;
  const audit = evidence.audit?.score ?? null;
  return {
    score: score?.value ?? null,
    low: score?.low ?? null,
    high: score?.high ?? null,
    cleanScore: evidence.selection?.cleanScore?.value ?? null,
    audit: audit === null ? null : { score: audit.value, low: audit.low, high: audit.high },
    labels: (evidence.selection?.labels ?? []).map((l) => ({
      name: l.name,
      rate: l.rollouts === 0 ? 0 : l.labelled / l.rollouts,
      alert: l.alert,
    })),
  };
}

function decided(v: VersionRecord): Pick<VersionReport, "decision" | "reason" | "comparison" | "evidence"> {
  if (v.decision === undefined)
    return { decision: "pending", reason: pendingReason(v), comparison: null, evidence: [] };
  const { decision, reason, comparison, evidence } = v.decision;
  return {
    decision,
    reason,
    comparison,
    evidence: evidence.map((e) => ({ rollout: e.rollout, turns: [...e.turns], label: e.label })),
  };
}

function pendingReason(v: VersionRecord): string {
  if (v.jobs.length > 0) return "Trained, not decided yet.";
  return v.approvals.some((a) => a.answer === "approve")
    ? "Approved, in training or waiting for a slot."
    : "Proposed, waiting for its gate.";
}
