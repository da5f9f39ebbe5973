import { isDeepStrictEqual } from "node:util";
import type { LedgerEntry } from "../../../../shared/ledger/ledger.ts";
import type { Comparison, Score } from "../../../../shared/ledger/measures.ts";
import type { Stage } from "../../../../shared/ledger/testing.ts";
import { isDoubtful } from "../../../../shared/ledger/newWayText.ts";
import type { BaseVerdict, TrainedVersion, Verdict } from "../../decision/decide.ts";
import { asLookedAt } from "../../decision/asLookedAt.ts";
import { judgeVersion } from "../../decision/judgeVersion.ts";
import type { Project } from "../../project/project.ts";
import { needsFindings } from "../../proposals/search/settings.ts";
import type { LoopPorts } from "../ports.ts";
import type { Candidate, LoopState } from "../state.ts";
import { admitOne } from "./admit.ts";
import { evidenceEntry, renewEvidence } from "./evidence.ts";
import { worseAfter } from "./doubtChampion.ts";
import { seedsOfVersion } from "./looks.ts";

interface Decided {
  readonly version: string;
  readonly verdict: Verdict | BaseVerdict;
  readonly score: Score | null;
  /** Kept, but a person has to look at what passes first. */
  readonly isHeld: boolean;
}

export interface Deciding {
  readonly ports: LoopPorts;
  readonly signal: AbortSignal;
  /**
   * Measures once more what is about to be kept, and looks at it again: what is known of it then. Null, the function or its
   * answer, where it is decided by what its training jobs measured.
   */
  readonly measureAgain: ((candidate: Candidate) => Promise<Candidate | null>) | null;
}

/** Decides the candidates of a generation and chooses from whom the next one starts. */
export async function endGeneration(
  state: LoopState,
  project: Project,
  deciding: Deciding,
): Promise<LoopState> {
  const { ports } = deciding;
  const decided: Decided[] = [];
  for (const c of state.candidates.filter(({ pruned }) => pruned === null))
    if (c.harness) await admitOne(c.version, ports);
    else decided.push(await decideCandidate(state, c, project, deciding));
  await renewParents(state, project, ports);
  const fresh = { ...state, step: "collect" as const, candidates: [], grounds: [] };
  return state.phase === "evolve"
    ? afterGeneration(fresh, state, { decided, ports })
    : afterFirst(fresh, decided[0]);
}

/** Diagnoses a trained candidate, decides about it, and records evidence and decision. */
async function decideCandidate(
  state: LoopState,
  candidate: Candidate,
  project: Project,
  { ports, signal, measureAgain }: Deciding,
): Promise<Decided> {
  const { version, parent, job, seeds, look } = candidate;
  const measured = await ports.diagnose(version, project);
  const terms = await ports.termsOf(version);
  const on = await ports.measuredOn(version, state.phase === "base" ? "selection" : "train");
  // Every candidate of a generation is compared with one parent and the best may become the champion.
  const candidates = state.candidates.filter((c) => c.pruned === null && !c.harness).length;
  const confidence = terms.success?.confidence ?? 0.95;
  const incomparable = parent === null ? null : await ports.whyNotComparable(version, parent, on);
  const comparison =
    parent === null || incomparable !== null
      ? null
      : await comparisonFor(candidate, {
          ...{ parent, confidence, candidates, ports },
          replicates: project.spec.testing.seeds > 1,
        });
  const failure = job?.failure == null ? null : { failure: job.failure, message: job.message };
  const trained = { kind: kindOf(state), failure, measured, comparison, incomparable, terms };
  const ofParent = await parentSeeds(candidate, ports);
  const judged = await judgeVersion(
    { version, parent, ...trained, seeds: { own: seeds, parent: ofParent } },
    ports,
    project,
    signal,
  );
  // The test of equivalence decides about an edit that is taken out.
  const lastLook = look === null || candidate.without !== null ? null : { ...look, seeds: seeds.length };
  const verdict = asLookedAt(lastLook, judged.verdict);
  const again = verdict.decision === "keep" ? await measuredAnew(candidate, measureAgain) : null;
  if (again !== null) return decideCandidate(state, again, project, { ports, signal, measureAgain: null });
  const gain: Gained =
    verdict.decision === "keep" ? await gainOf(state, candidate, project, { ports, signal }) : {};
  const stage: Stage | null = state.phase !== "evolve" ? null : seeds.length > 1 ? "replicated" : "one_seed";
  const place = { version, seeds, domain: state.domain, at: ports.now() };
  const decision: LedgerEntry = {
    ...{ at: place.at, domain: state.domain, version },
    id: `decision:${version}`,
    type: "decision",
    decision: verdict.decision,
    reason: verdict.reason,
    comparison,
    evidence: await ports.pointers(version, verdict.shownBy),
    rules: { confidence, candidates, seeds: { own: seeds, parent: [...ofParent] } },
    ...judged.decision,
    ...gain,
    ...(stage === null ? {} : { stage }),
  };
  await ports.appendToLedger([{ ...evidenceEntry(place, measured, on), ...judged.evidence }, decision]);
  ports.emit({
    type: "decided",
    version,
    decision: verdict.decision,
    stage,
    reason: verdict.reason,
    score: measured.score?.value ?? null,
  });
  return { version, verdict, score: measured.score, isHeld: gain.held === true };
}

/**
 * What is about to be kept is decided by what fresh jobs find. Null where they find nothing new: they had measured every seed
 * before, or the project wants none.
 */
async function measuredAnew(
  candidate: Candidate,
  measureAgain: Deciding["measureAgain"],
): Promise<Candidate | null> {
  const again = measureAgain === null ? null : await measureAgain(candidate);
  return isDeepStrictEqual(again, candidate) ? null : again;
}

type Gained = Pick<Extract<LedgerEntry, { type: "decision" }>, "newWays" | "inParentEnvironment" | "held">;

/** Where the gain of a change that is kept comes from, for its decision; nothing where nothing speaks of it. */
async function gainOf(
  state: LoopState,
  { version, parent, without }: Candidate,
  project: Project,
  { ports, signal }: Pick<Deciding, "ports" | "signal">,
): Promise<Gained> {
  if (parent === null || kindOf(state) !== "change" || without !== null) return {};
  const { newWays, inParentEnvironment } = await ports.gain({ version, parent }, project, signal);
  const found = {
    ...(newWays.length === 0 ? {} : { newWays: [...newWays] }),
    ...(inParentEnvironment === null ? {} : { inParentEnvironment }),
  };
  // A search that looks at no findings does not look at this either.
  return isDoubtful(found) ? { ...found, held: needsFindings(project.spec.search) } : found;
}

/** The seeds that its parent had when it was compared with it. */
async function parentSeeds({ parent, look }: Candidate, ports: LoopPorts): Promise<readonly number[]> {
  return look?.parentSeeds ?? (parent === null ? [] : seedsOfVersion(ports, parent));
}

/**
 * The comparison that decides: that of the last look, or of the first seed where nothing else was looked at. Where further
 * seeds were meant to follow and the budget ended before them, the noise between seeds counts all the same.
 */
async function comparisonFor(
  { version, look, without }: Candidate,
  {
    parent,
    ports,
    replicates,
    ...how
  }: {
    readonly parent: string;
    readonly replicates: boolean;
    readonly confidence: number;
    readonly candidates: number;
    readonly ports: LoopPorts;
  },
): Promise<Comparison | null> {
  const decides = look !== null && (replicates || look.verdict !== "screened") && without === null;
  if (decides) return look.comparison;
  return ports.compare(version, parent, { split: "selection", ...how });
}

/** Parents that were trained with further seeds to compare with get their evidence anew. */
async function renewParents(state: LoopState, project: Project, ports: LoopPorts): Promise<void> {
  if (state.phase !== "evolve") return;
  const parents = new Set(
    state.candidates.flatMap(({ parent, seeds }) => (parent === null || seeds.length < 2 ? [] : [parent])),
  );
  for (const parent of parents) await renewEvidence(parent, { domain: state.domain, project, ports });
}

function kindOf({ phase }: LoopState): TrainedVersion["kind"] {
  return phase === "base" || phase === "baseline" ? phase : "change";
}

/** After the base policy or the baseline: without a sound one there is nothing to compare with. */
function afterFirst(fresh: LoopState, first: Decided | undefined): LoopState {
  if (first?.verdict.decision !== "base" && first?.verdict.decision !== "keep")
    return {
      ...fresh,
      stopped: `${first?.version ?? "The first version"} cannot be used: ${(first?.verdict.reason ?? "It was not decided.").replace(/^It/, "it")} Fix it, commit, and run \`evotrainer evolve --restart\`.`,
    };
  if (fresh.phase === "base")
    return { ...fresh, phase: "baseline", baseVersion: first.version, champion: null };
  return {
    ...{ ...fresh, phase: "calibrate", step: "train", generation: 1 },
    ...{ baseline: first.version, champion: first.version },
  };
}

async function afterGeneration(
  fresh: LoopState,
  { candidates }: LoopState,
  { decided, ports }: { readonly decided: readonly Decided[]; readonly ports: LoopPorts },
): Promise<LoopState> {
  const kept = decided.filter((d) => d.verdict.decision === "keep");
  // What is held until a person has looked at it is kept, and nothing is made of it.
  const trusted = kept
    .filter(({ isHeld }) => !isHeld)
    .sort((a, b) => (b.score?.value ?? 0) - (a.score?.value ?? 0));
  // A change that was kept beside a better one may be tried again on top of it.
  const mayReturn = new Set(trusted.slice(1).map((d) => d.version));
  const answered = { ...fresh.answered };
  for (const { finding } of candidates)
    if (finding !== null) answered[finding] = (answered[finding] ?? 0) + 1;
  const champion = await bestOf(fresh.champion, trusted[0], { candidates, ports });
  const next: LoopState = {
    ...fresh,
    answered,
    tried: [
      ...fresh.tried,
      ...candidates.flatMap((c) =>
        c.intervention === null || mayReturn.has(c.version)
          ? []
          : [{ version: c.version, name: c.intervention, edit: c.spec?.edit ?? null }],
      ),
    ],
    failuresInARow: trusted.length > 0 ? 0 : fresh.failuresInARow + decided.length - kept.length,
    doubt: champion === fresh.champion ? worseAfter(fresh, candidates) : null,
    kept: fresh.kept + kept.length,
    champion,
    // On another best version there may be something to try again.
    exhausted: champion === fresh.champion ? fresh.exhausted : [],
  };
  return fresh.generation >= fresh.generations
    ? { ...next, phase: "promote" }
    : { ...next, generation: fresh.generation + 1 };
}

/** What was kept on top of the champion is better than it; what was kept on another version has to score higher. */
async function bestOf(
  champion: string | null,
  best: Decided | undefined,
  { candidates, ports }: { readonly candidates: readonly Candidate[]; readonly ports: LoopPorts },
): Promise<string | null> {
  if (best === undefined) return champion;
  const parent = candidates.find(({ version }) => version === best.version)?.parent;
  if (champion === null || parent === champion) return best.version;
  const before = await ports.score(champion, "selection");
  return (best.score?.value ?? 0) > (before?.value ?? 0) ? best.version : champion;
}
