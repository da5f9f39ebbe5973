import { setTimeout as delay } from "node:timers/promises";
import type { EvolutionStatus } from "../../../../shared/protocol/views/evolution.ts";
import { codeOf, HarnessError } from "../../base/errors.ts";
import { cancelJob } from "../jobs/cancelJob.ts";
import { allJobs } from "../jobs/jobList.ts";
import { engineFolderOf } from "../workspace/workspace.ts";
import { isRunning, readRecord } from "./record.ts";
import { evolutionStatus } from "./status.ts";

const patienceMs = 20_000;

/**
 * Asks the process that works on the evolution to end, between two steps, and waits until it has. Its jobs go on and are
 * found again, unless they are to be cancelled as well. @throws HarnessError jobFailed when it does not end
 */
export async function stopEvolution(
  root: string,
  { cancelJobs }: { readonly cancelJobs: boolean },
): Promise<EvolutionStatus> {
  const record = await readRecord(engineFolderOf(root));
  if (record !== undefined && isRunning(record)) {
    try {
      process.kill(record.process.pid, "SIGTERM");
    } catch (e) {
      if (codeOf(e) !== "ESRCH") throw e;
    }
    const deadline = Date.now() + patienceMs;
    while (isRunning(record)) {
      if (Date.now() > deadline)
        throw new HarnessError(
          "jobFailed",
          `The process ${record.process.pid} of the evolution was asked to end and still works; it ends after its step.`,
        );
      await delay(50);
    }
  }
  if (cancelJobs)
    for (const { id, state } of await allJobs(root))
      if (state === "running" || state === "queued") await cancelJob(root, id);
  return evolutionStatus(root);
}
