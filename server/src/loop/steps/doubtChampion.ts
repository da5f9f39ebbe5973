import { seedsOf } from "../../decision/testing/rules.ts";
import type { Project } from "../../project/project.ts";
import type { LoopPorts } from "../ports.ts";
import type { Candidate, LoopState } from "../state.ts";
import { renewEvidence } from "./evidence.ts";
import { runJobs, type SeedJob } from "./jobs.ts";
import { seedsOfVersion } from "./looks.ts";
import { startOf, trainingOf } from "./measuring.ts";
import type { Budget } from "./replicate.ts";

/**
 * After so many changes in a row that score worse than the best version, its own score is looked at again: a version that was
 * kept on two lucky seeds makes every change of it seem a loss. Harmful changes are too frequent for one to say that.
 */
export const worseInARow = Number.POSITIVE_INFINITY;

interface Doubting {
  readonly ports: LoopPorts;
  readonly budget: Budget;
  readonly signal: AbortSignal;
  readonly commitOf: (version: string) => Promise<string>;
}

/** How many changes of the best version in a row are worse than it, after these candidates of it. */
export function worseAfter(
  { champion, doubt }: Pick<LoopState, "champion" | "doubt">,
  candidates: readonly Pick<Candidate, "parent" | "look">[],
): LoopState["doubt"] {
  if (champion === null) return null;
  let worse = doubt?.version === champion ? doubt.worse : 0;
  for (const { parent, look } of candidates)
    if (parent === champion && look?.comparison != null)
      worse = look.comparison.verdict === "regressed" ? worse + 1 : 0;
  return { version: champion, worse };
}

/**
 * Trains the best version on as many seeds as the baseline has where the last changes of it were all worse, and goes on from
 * the kept version that scores most then. Repeated after a crash it comes to the same.
 */
export async function doubtChampion(
  state: LoopState,
  project: Project,
  { ports, budget, signal, commitOf }: Doubting,
): Promise<LoopState> {
  const { champion, baseline, doubt, domain } = state;
  if (champion === null || champion === baseline || doubt?.version !== champion || doubt.worse < worseInARow)
    return state;
  const { spec } = project;
  const has = await seedsOfVersion(ports, champion);
  const lacking = seedsOf(spec)
    .slice(0, spec.testing.calibrationSeeds)
    .filter((seed) => !has.includes(seed));
  const policyOf = startOf(spec, state, await ports.parentOf(champion));
  const commit = await commitOf(champion);
  const jobs = lacking.map((seed): SeedJob => {
    const work = trainingOf(seed, spec, { isKept: true });
    const what = `training with seed ${seed}, to see whether it is as good as it seemed`;
    return { version: champion, commit, seed, work, policyOf, what };
  });
  const answered = { ...state, doubt: null };
  const spent = jobs.length === 0 ? null : await budget(jobs);
  if (spent !== null) {
    ports.emit({ type: "note", message: `${champion} is not trained on further seeds: ${spent}` });
    return answered;
  }
  if (jobs.length > 0)
    ports.emit({
      type: "note",
      message: `The last ${doubt.worse} changes of ${champion} were worse than it. It is trained on further seeds, because it may have scored so high by luck.`,
    });
  await runJobs(jobs, { domain, ports, signal });
  await ports.collect(champion, "all");
  await renewEvidence(champion, { domain, project, ports });
  return withBest(answered, ports);
}

/** Goes on from another kept version where that scores more by now. */
async function withBest(state: LoopState, ports: LoopPorts): Promise<LoopState> {
  const { champion, baseline } = state;
  if (champion === null) return state;
  const kept = await ports.keptOn(baseline ?? champion);
  const scoreOf = (one: (typeof kept)[number] | undefined): number => one?.score ?? -1;
  const [best] = kept.toSorted((a, b) => scoreOf(b) - scoreOf(a));
  if (best === undefined || scoreOf(best) <= scoreOf(kept.find(({ name }) => name === champion)))
    return state;
  ports.emit({ type: "note", message: `${best.name} is the best version now.` });
  return { ...state, champion: best.name, exhausted: [] };
}
