import { readdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { codeOf, HarnessError } from "../../base/errors.ts";
import { didYouMean } from "../../base/similar.ts";
import type { Executor, JobStatus } from "../../runner/job/executor.ts";
import { knownElsewhere, readOutcome, type JobOutcome } from "../../runner/job/outcome.ts";

/** A job as it is known on this machine. */
export interface KnownJob {
  readonly status: JobStatus;
  /** Null for this machine. */
  readonly host: string | null;
  /** The verdict; undefined while there is none. */
  readonly outcome: JobOutcome | undefined;
}

/**
 * A job of this machine, or what is known here of one on a host: nothing is asked over the network.
 * @throws HarnessError notFound
 */
export async function lookUpJob(executor: Executor, id: string): Promise<KnownJob> {
  const directory = executor.directoryOf(id);
  try {
    return { status: await executor.status(id), host: null, outcome: await readOutcome(directory) };
  } catch (e) {
    const remote = HarnessError.is(e, "notFound") ? await knownElsewhere(directory) : undefined;
    if (remote === undefined) throw HarnessError.is(e, "notFound") ? await namingNear(e, directory, id) : e;
    const { host, outcome } = remote;
    const begun = await stat(join(directory, "host.json")).catch(() => undefined);
    return {
      host,
      outcome,
      status: {
        id,
        state: outcome === undefined ? "running" : "exited",
        exitCode: null,
        signal: null,
        timedOut: false,
        cancelled: false,
        oversize: false,
        reason: `${outcome === undefined ? "as far as known here" : (outcome.failure ?? "finished")}, on ${host}`,
        heartbeatAgeSeconds: null,
        seconds: outcome?.seconds ?? (begun === undefined ? 0 : (Date.now() - begun.mtimeMs) / 1000),
      },
    };
  }
}

/** The same refusal with the names that were probably meant. */
async function namingNear(e: HarnessError, directory: string, id: string): Promise<HarnessError> {
  const near = didYouMean(id, await jobNames(dirname(directory)));
  return near === "" ? e : new HarnessError("notFound", e.message + near, { cause: e });
}

/** Names of the folders of runs, sorted; none before the first job. */
export async function jobNames(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder, { withFileTypes: true }))
      .filter((e) => e.isDirectory())
      .map((e) => e.name)
      .sort();
  } catch (e) {
    if (codeOf(e) === "ENOENT") return [];
    throw e;
  }
}
