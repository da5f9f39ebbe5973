import type { LedgerEntry } from "../../../../shared/ledger/ledger.ts";
import type { Comparison, Score } from "../../../../shared/ledger/measures.ts";
import type { BaseVerdict, TrainedVersion, Verdict } from "../../decision/decide.ts";
import { judgeVersion } from "../../decision/judgeVersion.ts";
import type { Project } from "../../project/project.ts";
import type { LoopPorts } from "../ports.ts";
import type { Candidate, LoopState } from "../state.ts";

interface Decided {
  readonly version: string;
  readonly verdict: Verdict | BaseVerdict;
  readonly score: Score | null;
}

/** Decides the candidates of a generation and chooses from whom the next one starts. */
export async function endGeneration(
  state: LoopState,
  project: Project,
  ports: LoopPorts,
  signal: AbortSignal,
): Promise<LoopState> {
  const decided: Decided[] = [];
  for (const c of state.candidates)
    if (c.pruned === null) decided.push(await decideCandidate(state, c, project, { ports, signal }));
  const fresh = { ...state, step: "collect" as const, candidates: [], findings: [] };
  return state.phase === "evolve" ? afterGeneration(fresh, state, decided) : afterFirst(fresh, decided[0]);
}

/** Diagnoses a trained candidate, compares it with its parent, decides, and records evidence and decision. */
async function decideCandidate(
  state: LoopState,
  candidate: Candidate,
  project: Project,
  { ports, signal }: { readonly ports: LoopPorts; readonly signal: AbortSignal },
): Promise<Decided> {
  const { version, parent, job } = candidate;
  const measured = await ports.diagnose(version, project);
  const terms = await ports.termsOf(version);
  const on = await ports.measuredOn(version, state.phase === "base" ? "selection" : "train");
  // Every candidate of a generation is compared with one parent and the best may become the champion.
  const candidates = state.candidates.filter((c) => c.pruned === null).length;
  const confidence = terms.success?.confidence ?? 0.95;
  const incomparable = parent === null ? null : await ports.whyNotComparable(version, parent, on);
  const comparison: Comparison | null =
    parent === null || incomparable !== null
      ? null
      : await ports.compare(version, parent, { split: "selection", confidence, candidates });
  const failure = job?.failure == null ? null : { failure: job.failure, message: job.message };
  const trained = { kind: kindOf(state), failure, measured, comparison, incomparable, terms };
  const judged = await judgeVersion({ version, parent, ...trained }, ports, project, signal);
  const { verdict } = judged;
  const common = { at: ports.now(), domain: state.domain, version };
  const evidence: LedgerEntry = {
    ...common,
    id: `evidence:${version}:selection`,
    type: "evidence",
    split: "selection",
    score: measured.score,
    ...judged.evidence,
    labels: [...measured.labels],
    signals: { ...measured.signals },
    ...(on === null ? {} : { measuredOn: on }),
  };
  const decision: LedgerEntry = {
    ...common,
    id: `decision:${version}`,
    type: "decision",
    decision: verdict.decision,
    reason: verdict.reason,
    comparison,
    evidence: await ports.pointers(version, verdict.shownBy),
    rules: { confidence, candidates },
    ...judged.decision,
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

/** After the base policy or the baseline: without a sound one there is nothing to compare with. */
function afterFirst(fresh: LoopState, first: Decided | undefined): LoopState {
  if (first?.verdict.decision !== "base" && first?.verdict.decision !== "keep")
    return {
      ...fresh,
      stopped: `${first?.version ?? "The first version"} cannot be used: ${first?.verdict.reason ?? "it was not decided"} Fix it, commit, and run \`evotrainer evolve --restart\`.`,
    };
  if (fresh.phase === "base")
    return { ...fresh, phase: "baseline", baseVersion: first.version, champion: null };
  return { ...fresh, phase: "evolve", generation: 1, baseline: first.version, champion: first.version };
}

function afterGeneration(
  fresh: LoopState,
  { candidates }: LoopState,
  decided: readonly Decided[],
): LoopState {
  const kept = decided
    .filter((d) => d.verdict.decision === "keep")
    .sort((a, b) => (b.score?.value ?? 0) - (a.score?.value ?? 0));
  // A change that was kept beside a better one may be tried again on top of it.
  const mayReturn = new Set(kept.slice(1).map((d) => d.version));
  const answered = { ...fresh.answered };
  for (const { finding } of candidates)
    if (finding !== null) answered[finding] = (answered[finding] ?? 0) + 1;
  const next: LoopState = {
    ...fresh,
    answered,
    tried: [
      ...fresh.tried,
      ...candidates.flatMap((c) =>
        c.intervention === null || mayReturn.has(c.version) ? [] : [c.intervention],
      ),
    ],
    failuresInARow: kept.length > 0 ? 0 : fresh.failuresInARow + decided.length,
    champion: kept[0]?.version ?? fresh.champion,
  };
  return fresh.generation >= fresh.generations
    ? { ...next, phase: "promote" }
    : { ...next, generation: fresh.generation + 1 };
}
