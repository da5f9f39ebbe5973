import { seedsOf } from "../../decision/testing/rules.ts";
import type { ProjectSpec } from "../../../../shared/spec/project.ts";
import type { LoopPorts, TrainResult } from "../ports.ts";
import type { Candidate, JobOutcome, LoopState } from "../state.ts";
import { runJobs, type SeedJob } from "./jobs.ts";
import { startOf, trainingOf } from "./measuring.ts";

/** Trains the candidates that are left on the first seed. */
export async function train(
  state: LoopState,
  spec: ProjectSpec,
  { ports, signal }: { readonly ports: LoopPorts; readonly signal: AbortSignal },
): Promise<LoopState> {
  const [seed = 1] = seedsOf(spec);
  const jobs = state.candidates.flatMap((c) => firstJob(state, c, { spec, seed }) ?? []);
  // The baseline's further seeds are trained beside its first one: the calibration needs them in any case.
  if (state.phase === "baseline") jobs.push(...jobs.flatMap((job) => forCalibration(job, spec)));
  const ran = await runJobs(jobs, { domain: state.domain, ports, signal });
  let { started } = state;
  const candidates = state.candidates.map((candidate): Candidate => {
    const all = ran.filter(({ job }) => job.version === candidate.version);
    const own = all.find(({ job }) => job.seed === seed);
    if (own === undefined) return candidate;
    if (state.phase === "evolve") started++;
    return {
      ...candidate,
      job: jobOf(own.result),
      seeds:
        own.result.failure === null
          ? all.flatMap(({ job, result }) => (result.failure === null ? [job.seed] : []))
          : [],
      ...{ place: started, keptBefore: state.kept },
    };
  });
  return { ...state, candidates, started };
}

/** How a job has ended, for the state; what it cost is in the ledger. */
export const jobOf = ({ failure, message, seconds }: TrainResult): JobOutcome => ({
  failure,
  message,
  seconds,
});

/** The further seeds of the baseline. */
export function forCalibration(job: SeedJob, spec: ProjectSpec): SeedJob[] {
  const { trainer, testing } = spec;
  const [, ...seeds] = seedsOf({ trainer, testing: { ...testing, seeds: testing.calibrationSeeds } });
  const what = (seed: number): string => `training with seed ${seed}, to find out how much seeds differ`;
  return seeds.map((seed) => ({
    ...{ ...job, seed, what: what(seed) },
    work: trainingOf(seed, spec, { isKept: true }),
  }));
}

function firstJob(
  state: LoopState,
  { version, commit, parent, pruned, job, harness }: Candidate,
  { spec, seed }: { readonly spec: ProjectSpec; readonly seed: number },
): SeedJob | undefined {
  if (pruned !== null || job !== null || commit === null || harness) return undefined;
  if (state.phase === "base") {
    const what = "making and measuring the base policy";
    return { version, commit, seed, work: { type: "measure", split: "selection" }, policyOf: null, what };
  }
  const policyOf = startOf(spec, state, parent);
  // The baseline is kept unless something is wrong with it.
  const work = trainingOf(seed, spec, { isKept: state.phase === "baseline" });
  return { version, commit, seed, work, policyOf, what: "training" };
}
