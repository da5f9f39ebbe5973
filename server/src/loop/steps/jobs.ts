import type { LoopPorts, TrainRequest, TrainResult } from "../ports.ts";

/** One job of a version: what runs, with which seed. */
export interface SeedJob extends Omit<TrainRequest, "seeds"> {
  readonly seed: number;
  /** What it does, for who watches. */
  readonly what: string;
}

export interface RanJob {
  readonly job: SeedJob;
  readonly result: TrainResult;
}

/**
 * Runs jobs side by side as far as there is room for them, and records how each has ended: in the order of the list,
 * whichever ends first.
 */
export async function runJobs(
  jobs: readonly SeedJob[],
  {
    domain,
    ports,
    signal,
  }: { readonly domain: string; readonly ports: LoopPorts; readonly signal: AbortSignal },
): Promise<RanJob[]> {
  let recorded: Promise<unknown> = Promise.resolve();
  const running = jobs.map((job) => {
    const before = recorded;
    const result = runOne(job, { domain, ports, signal, before });
    recorded = result;
    return result;
  });
  // All of them have to be over before the first failure is told: what is left would go on unseen.
  const settled = await Promise.allSettled(running);
  return settled.map((one) => {
    if (one.status === "rejected") throw one.reason;
    return one.value;
  });
}

async function runOne(
  job: SeedJob,
  {
    domain,
    ports,
    signal,
    before,
  }: {
    readonly domain: string;
    readonly ports: LoopPorts;
    readonly signal: AbortSignal;
    readonly before: Promise<unknown>;
  },
): Promise<RanJob> {
  const { seed, what, ...request } = job;
  const { version, work } = request;
  const result = await ports.train({ ...request, seeds: [seed] }, signal, () =>
    ports.emit({ type: "jobStarted", version, seed, what }),
  );
  await before;
  // A second evaluation that fails says nothing about the version.
  if (work.type !== "again" || result.failure === null)
    await ports.appendToLedger([
      {
        id: `job:${version}:${work.type === "again" ? "again" : "train"}:s${seed}`,
        at: ports.now(),
        domain,
        type: "job",
        version,
        job: version,
        state: result.failure === null ? "finished" : "failed",
        failure: result.failure,
        message: result.message,
        seconds: result.seconds,
        ...result.cost,
        seeds: [seed],
      },
    ]);
  const { failure, message, seconds } = result;
  ports.emit({ type: "jobEnded", version, seed, ok: failure === null, message, seconds });
  return { job, result };
}
