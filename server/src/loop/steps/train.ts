import type { ProjectSpec } from "../../../../shared/spec/project.ts";
import type { LoopPorts } from "../ports.ts";
import type { Candidate, LoopState } from "../state.ts";

/**
 * Trains the candidates that are left, side by side as far as there is room for their jobs, and records how each job
 * ended: in the order of the candidates, whichever ends first.
 */
export async function train(
  state: LoopState,
  { trainer }: ProjectSpec,
  ports: LoopPorts,
  signal: AbortSignal,
): Promise<Candidate[]> {
  let recorded: Promise<unknown> = Promise.resolve();
  const trained = state.candidates.map((c) => {
    if (c.pruned !== null || c.job !== null || c.commit === null) return Promise.resolve(c);
    const before = recorded;
    const result = trainOne(state, c, trainer.start, ports, { signal, before });
    recorded = result;
    return result;
  });
  // All of them have to be over before the first failure is told: what is left would go on unseen.
  const settled = await Promise.allSettled(trained);
  return settled.map((one) => {
    if (one.status === "rejected") throw one.reason;
    return one.value;
  });
}

async function trainOne(
  state: LoopState,
  candidate: Candidate,
  start: ProjectSpec["trainer"]["start"],
  ports: LoopPorts,
  { signal, before }: { readonly signal: AbortSignal; readonly before: Promise<unknown> },
): Promise<Candidate> {
  if (candidate.commit === null) return candidate;
  const measureOnly = state.phase === "base";
  const begun = (): void =>
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
    begun,
  );
  await before;
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
      ...result.cost,
    },
  ]);
  ports.emit({
    type: "jobEnded",
    version: candidate.version,
    ok: result.failure === null,
    message: result.message,
    seconds: result.seconds,
  });
  const { failure, message, seconds } = result;
  return { ...candidate, job: { failure, message, seconds } };
}
