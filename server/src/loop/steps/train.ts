import { HarnessError } from "../../base/errors.ts";
import { seedsOf } from "../../decision/testing/rules.ts";
import type { ProjectSpec } from "../../../../shared/spec/project.ts";
import type { LoopPorts } from "../ports.ts";
import type { Candidate, LoopState } from "../state.ts";
import { runJobs, type SeedJob } from "./jobs.ts";

/** Why no more may be spent, in a sentence; null while so many trainings are within the budget. */
export type Budget = (trainings: number) => Promise<string | null>;

/** Trains the candidates that are left on the first seed. @throws HarnessError gateWaiting when the budget is spent */
export async function train(
  state: LoopState,
  spec: ProjectSpec,
  { ports, signal, budget }: { readonly ports: LoopPorts; readonly signal: AbortSignal; readonly budget: Budget },
): Promise<LoopState> {
  const [seed = 1] = seedsOf(spec);
  const jobs = state.candidates.flatMap((c) => firstJob(state, c, { spec, seed }) ?? []);
  if (state.phase === "evolve" && jobs.length > 0) {
    const spent = await budget(jobs.length);
    if (spent !== null) throw new HarnessError("gateWaiting", spent);
  }
  const ran = await runJobs(jobs, { domain: state.domain, ports, signal });
  let { started } = state;
  const candidates = state.candidates.map((candidate): Candidate => {
    const own = ran.find(({ job }) => job.version === candidate.version);
    if (own === undefined) return candidate;
    if (state.phase === "evolve") started++;
    return {
      ...candidate,
      job: own.result,
      seeds: own.result.failure === null ? [seed] : [],
      ...{ place: started, keptBefore: state.kept },
    };
  });
  return { ...state, candidates, started };
}

function firstJob(
  state: LoopState,
  { version, commit, parent, pruned, job }: Candidate,
  { spec, seed }: { readonly spec: ProjectSpec; readonly seed: number },
): SeedJob | undefined {
  if (pruned !== null || job !== null || commit === null) return undefined;
  if (state.phase === "base") {
    const what = "making and measuring the base policy";
    return { version, commit, seed, work: { type: "measure", split: "selection" }, policyOf: null, what };
  }
  const policyOf = (spec.trainer.start === "parent" ? parent : null) ?? state.baseVersion;
  return { version, commit, seed, work: { type: "train" }, policyOf, what: "training" };
}
