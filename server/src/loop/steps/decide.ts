import type { LedgerEntry } from "../../../../shared/ledger/ledger.ts";
import type { Comparison, Score } from "../../../../shared/ledger/measures.ts";
import type { Verdict } from "../../decision/decide.ts";
import { decideVersion, type BaseVerdict, type TrainedVersion } from "../../decision/decideVersion.ts";
import type { Project } from "../../project/project.ts";
import type { LoopPorts } from "../ports.ts";
import type { Candidate, LoopState } from "../state.ts";

export interface Decided {
  readonly version: string;
  readonly verdict: Verdict | BaseVerdict;
  readonly score: Score | null;
}

/** Diagnoses a trained candidate, compares it with its parent, decides, and records evidence and decision. */
export async function decideCandidate(
  state: LoopState,
  candidate: Candidate,
  project: Project,
  ports: LoopPorts,
): Promise<Decided> {
  const { version, parent, job } = candidate;
  const measured = await ports.diagnose(version, project);
  const terms = await ports.termsOf(version);
  const comparison: Comparison | null =
    parent === null
      ? null
      : await ports.compare(version, parent, {
          split: "selection",
          confidence: terms.success?.confidence ?? 0.95,
          // Every candidate of a generation is compared with one parent and the best may become the champion.
          candidates: state.candidates.filter((c) => c.pruned === null).length,
        });
  const failure = job?.failure == null ? null : { failure: job.failure, message: job.message };
  const verdict = decideVersion({ kind: kindOf(state), failure, measured, comparison, terms });
  const common = { at: ports.now(), domain: state.domain, version };
  const evidence: LedgerEntry = {
    ...common,
    id: `evidence:${version}:selection`,
    type: "evidence",
    split: "selection",
    score: measured.score,
    cleanScore: measured.cleanScore,
    labels: [...measured.labels],
    signals: { ...measured.signals },
  };
  const decision: LedgerEntry = {
    ...common,
    id: `decision:${version}`,
    type: "decision",
    decision: verdict.decision,
    reason: verdict.reason,
    comparison,
    evidence: await ports.pointers(version, verdict.shownBy),
  };
  await ports.appendToLedger([evidence, decision]);
  ports.emit({
    type: "decided",
    version,
    decision: verdict.decision,
    reason: verdict.reason,
    score: measured.score?.value ?? null,
  });
  return { version, verdict, score: measured.score };
}

function kindOf({ phase }: LoopState): TrainedVersion["kind"] {
  return phase === "base" || phase === "baseline" ? phase : "change";
}
