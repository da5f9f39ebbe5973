import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { HarnessError } from "../../base/errors.ts";
import { isAlive } from "../../runner/job/processes.ts";
import { knownElsewhere } from "../../runner/job/outcome.ts";
import { detach } from "./detach.ts";
import { runId } from "../workspace/runs.ts";
import { engineFolderOf } from "../workspace/workspace.ts";
import { executorOf } from "./jobList.ts";
import { readPiece } from "./jobLog.ts";
import { nextAttempt } from "./nextAttempt.ts";
import { definePlainService } from "../workspace/service.ts";
import { assertTrusted } from "../workspace/trusted.ts";

const logFile = "rerun.log";
const patienceMs = 60_000;

/**
 * Starts `evotrainer rerun` in a process that outlives this one and answers with the name of the new job once it is
 * there. @throws HarnessError badInput, notFound, jobFailed
 */
export const jobsRerun = definePlainService("jobs.rerun", {
  repeatable: false,
  async run(context, { job }, { signal }) {
    assertTrusted(context, "Running a job again");
    const { root } = context;
    const next = runId(await nextAttempt(root, job));
    const directory = executorOf(root).directoryOf(next);
    const isThere = async (): Promise<boolean> =>
      existsSync(join(directory, "job")) || (await knownElsewhere(directory)) !== undefined;
    const engineFolder = engineFolderOf(root);
    const begun = await detach({ root, engineFolder, log: logFile, args: ["rerun", job] });
    const deadline = Date.now() + patienceMs;
    while (!(await isThere())) {
      if (!isAlive(begun.process) && !(await isThere())) {
        const { text } = await readPiece(begun.log, begun.from, 65_536);
        throw new HarnessError(
          "jobFailed",
          text.trim().split("\n").at(-1) ?? `The rerun of ${job} ended at once; ${begun.log} says why.`,
        );
      }
      if (Date.now() > deadline || signal.aborted)
        throw new HarnessError(
          "jobFailed",
          `The rerun of ${job} was not submitted in time; see ${begun.log}.`,
        );
      await delay(60);
    }
    return { job: next };
  },
});
