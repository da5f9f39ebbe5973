import type { Project } from "../../project/project.ts";
import type { LoopPorts } from "../ports.ts";
import type { LoopState } from "../state.ts";
import { decideCandidate, type Decided } from "./decide.ts";

/** Decides the candidates of a generation and chooses from whom the next one starts. */
export async function endGeneration(
  state: LoopState,
  project: Project,
  ports: LoopPorts,
): Promise<LoopState> {
  const decided: Decided[] = [];
  for (const c of state.candidates)
    if (c.pruned === null) decided.push(await decideCandidate(state, c, project, ports));
  const fresh = { ...state, step: "collect" as const, candidates: [], findings: [] };
  return state.phase === "evolve" ? afterGeneration(fresh, state, decided) : afterFirst(fresh, decided[0]);
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
