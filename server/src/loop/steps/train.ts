import type { ProjectSpec } from "../../../../shared/spec/project.ts";
import type { LoopPorts } from "../ports.ts";
import type { Candidate, LoopState } from "../state.ts";

/** Trains the candidates that are left, at most `parallelJobs` at a time, and records how each job ended. */
export async function train(
  state: LoopState,
  { budgets, trainer }: ProjectSpec,
  ports: LoopPorts,
  signal: AbortSignal,
): Promise<Candidate[]> {
  const results = new Map<string, Candidate>();
  const queue = state.candidates.filter((c) => c.pruned === null && c.job === null);
  const worker = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift())
      results.set(next.version, await trainOne(state, next, trainer.start, ports, signal));
  };
  await Promise.all(Array.from({ length: budgets.parallelJobs }, worker));
  return state.candidates.map((c) => results.get(c.version) ?? c);
}

async function trainOne(
  state: LoopState,
  candidate: Candidate,
  start: ProjectSpec["trainer"]["start"],
  ports: LoopPorts,
  signal: AbortSignal,
): Promise<Candidate> {
  if (candidate.commit === null) return candidate;
  const measureOnly = state.phase === "base";
  ports.emit({
    type: "jobStarted",
    version: candidate.version,
    what: measureOnly ? "making and measuring the base policy" : "training",
  });
  const result = await ports.train(
    {
      version: candidate.version,
      commit: candidate.commit,
      work: measureOnly ? { type: "measure", split: "selection" } : { type: "train" },
      policyOf: measureOnly ? null : ((start === "parent" ? candidate.parent : null) ?? state.baseVersion),
    },
    signal,
  );
  await ports.appendToLedger([
    {
      id: `job:${candidate.version}:train`,
      at: ports.now(),
      domain: state.domain,
      type: "job",
      version: candidate.version,
      job: candidate.version,
      state: result.failure === null ? "finished" : "failed",
      failure: result.failure,
      message: result.message,
      seconds: result.seconds,
    },
  ]);
  ports.emit({
    type: "jobEnded",
    version: candidate.version,
    ok: result.failure === null,
    message: result.message,
    seconds: result.seconds,
  });
  return { ...candidate, job: result };
}
