import { points } from "../../../../shared/words/numbers.ts";
import type { Comparison, LedgerEntry, Score } from "../../../../shared/ledger/ledger.ts";
import { decide as decideVersion, type Verdict } from "../../gates/decide.ts";
import type { Project } from "../../project/project.ts";
import { comparePaired } from "../../statistics/comparison/compare.ts";
import type { Diagnosis, LoopPorts } from "../ports.ts";
import type { Candidate, LoopState } from "../state.ts";

export interface Decided {
  readonly version: string;
  readonly verdict: Verdict | BaseVerdict;
  readonly score: Score | null;
}
interface BaseVerdict {
  readonly decision: "base";
  readonly reason: string;
  readonly shownBy: readonly string[];
}

/** Diagnoses a trained candidate, compares it with its parent, decides, and records evidence and decision. */
export async function decideCandidate(
  state: LoopState,
  candidate: Candidate,
  project: Project,
  ports: LoopPorts,
): Promise<Decided> {
  const diagnosis = await ports.diagnose(candidate.version, project);
  const comparison = await compareWithParent(state, candidate, project, ports);
  const verdict = verdictOf(state, candidate, project, diagnosis, comparison);
  const common = { at: ports.now(), domain: state.domain, version: candidate.version };
  const evidence: LedgerEntry = {
    ...common,
    id: `evidence:${candidate.version}:selection`,
    type: "evidence",
    split: "selection",
    score: diagnosis.score,
    cleanScore: diagnosis.cleanScore,
    labels: [...diagnosis.labels],
    signals: { ...diagnosis.signals },
  };
  const decision: LedgerEntry = {
    ...common,
    id: `decision:${candidate.version}`,
    type: "decision",
    decision: verdict.decision,
    reason: verdict.reason,
    comparison,
    evidence: await ports.pointers(candidate.version, verdict.shownBy),
  };
  await ports.appendToLedger([evidence, decision]);
  ports.emit({
    type: "decided",
    version: candidate.version,
    decision: verdict.decision,
    reason: verdict.reason,
    score: diagnosis.score?.value ?? null,
  });
  return { version: candidate.version, verdict, score: diagnosis.score };
}

async function compareWithParent(
  state: LoopState,
  candidate: Candidate,
  project: Project,
  ports: LoopPorts,
): Promise<Comparison | null> {
  if (candidate.parent === null) return null;
  const intervention = project.interventions.find((i) => i.spec.name === candidate.intervention)?.spec;
  return comparePaired(
    candidate.parent,
    await ports.outcomes(candidate.parent, "selection"),
    await ports.outcomes(candidate.version, "selection"),
    {
      aggregator: project.spec.metric.aggregator,
      confidence: intervention?.success.confidence ?? 0.95,
      // Every candidate of a generation is compared with one parent and the best may become the champion.
      candidates: state.candidates.filter((c) => c.pruned === null).length,
    },
  );
}

function verdictOf(
  state: LoopState,
  candidate: Candidate,
  project: Project,
  diagnosis: Diagnosis,
  comparison: Comparison | null,
): Verdict | BaseVerdict {
  const intervention = project.interventions.find((i) => i.spec.name === candidate.intervention)?.spec;
  const failure = candidate.job?.failure ?? null;
  const verdict = decideVersion({
    failure: failure === null ? null : { failure, message: candidate.job?.message ?? "" },
    score: diagnosis.score,
    cleanScore: diagnosis.cleanScore,
    labels: diagnosis.labels,
    comparison,
    success: intervention?.success ?? null,
    guardrails: intervention?.guardrails ?? [],
    metric: (name) => metricOf(diagnosis, name),
  });
  const sound = failure === null && verdict.decision !== "invalid" && diagnosis.score !== null;
  if (state.phase === "base" && sound)
    return { decision: "base", reason: "The policy before reinforcement learning.", shownBy: [] };
  if (state.phase === "baseline" && sound && comparison !== null)
    return {
      decision: "keep",
      reason: `The baseline: the harness as it is, ${points(comparison.difference)} against ${comparison.against}.`,
      shownBy: [],
    };
  return verdict;
}

/** A guardrail's metric: a signal, the score, the rate of a label by its name, or the last value of a training metric. */
function metricOf(diagnosis: Diagnosis, name: string): number | null {
  if (name === "solve_rate") return diagnosis.score?.value ?? null;
  const signals: Readonly<Record<string, number | null>> = { ...diagnosis.signals };
  if (name in signals) return signals[name] ?? null;
  const label = diagnosis.labels.find((l) => l.name === name);
  if (label !== undefined) return label.rollouts === 0 ? null : label.labelled / label.rollouts;
  const { key, all } = diagnosis.training ?? { key: [], all: [] };
  return (key.find(({ role }) => role === name) ?? all.find((metric) => metric.name === name))?.last ?? null;
}
