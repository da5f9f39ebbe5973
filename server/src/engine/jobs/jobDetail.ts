import { join } from "node:path";
import { evidenceFiles, readTail } from "../../runner/job/evidenceSummary.ts";
import { readOutcome } from "../../runner/job/outcome.ts";
import { executorOf, hostsOf, withRecord } from "./jobList.ts";
import { judgedVersions } from "./judged.ts";
import { jobRow } from "./jobRow.ts";
import { readMetrics } from "./metrics.ts";
import { definePlainService } from "../workspace/service.ts";

const metricsBytes = 8 * 1024 ** 2;
const logBytes = 16_384;
const longestLine = 2000;

/** One job with its curve and its last lines. @throws HarnessError notFound, badInput */
export const jobsShow = definePlainService("jobs.show", {
  repeatable: true,
  async run({ root }, { job: id, lines }) {
    const executor = executorOf(root);
    const directory = executor.directoryOf(id);
    const row = await jobRow(executor, id, await hostsOf(root));
    const job = await withRecord(root, row, await judgedVersions(root));
    const { curve } = readMetrics(await readTail(join(directory, evidenceFiles.metrics), metricsBytes), {
      mostPoints: 400,
    });
    const last = async (stream: string): Promise<string[]> => {
      const now = await lastLines(join(directory, `${stream}.log`), lines);
      // A log that was cut at its limit lies beside its new start.
      return now.length > 0 ? now : lastLines(join(directory, `${stream}.log.1`), lines);
    };
    return {
      job,
      directory,
      commit: (await readOutcome(directory))?.commit ?? null,
      curve: [...curve],
      lastLines: { stdout: await last("stdout"), stderr: await last("stderr") },
    };
  },
});

async function lastLines(path: string, count: number): Promise<string[]> {
  const text = (await readTail(path, logBytes)).replace(/\n$/, "");
  if (text === "") return [];
  return text
    .split("\n")
    .slice(-count)
    .map((line) => (line.length > longestLine ? `${line.slice(0, longestLine)}…` : line));
}
