import { join } from "node:path";
import { z } from "zod";
import type { JobStatus } from "./executor.ts";
import { evidenceFiles, readTail } from "./evidenceSummary.ts";

/** How far a running job is, as its metrics say. */
export interface JobProgress {
  readonly state: JobStatus["state"];
  readonly step: number | null;
  readonly stepsTotal: number | null;
  readonly reward: number | null;
  readonly etaSeconds: number | null;
  readonly seconds: number;
}

const tailBytes = 65_536;
const MetricLine = z.looseObject({
  step: z.int().nonnegative(),
  steps_total: z.number().positive().nullable().optional().catch(null),
  reward: z.number().nullable().optional().catch(null),
});

/** Reads the progress of a run from the end of its metrics.jsonl. */
export async function readProgress(directory: string, status: JobStatus): Promise<JobProgress> {
  return progressOf(await readTail(join(directory, evidenceFiles.metrics), tailBytes), status);
}

/** The newest step of a tail of metrics lines, with the newest value of each field; a torn last line is passed over. */
export function progressOf(tail: string, status: JobStatus): JobProgress {
  let step: number | null = null;
  let stepsTotal: number | null = null;
  let reward: number | null = null;
  for (const line of tail.split("\n").slice(0, -1).reverse()) {
    const parsed = parseLine(line);
    if (parsed === undefined) continue;
    step ??= parsed.step;
    stepsTotal ??= parsed.steps_total ?? null;
    reward ??= parsed.reward ?? null;
    if (stepsTotal !== null && reward !== null) break;
  }
  const etaSeconds =
    step === null || step === 0 || stepsTotal === null
      ? null
      : Math.max(0, (status.seconds / step) * (stepsTotal - step));
  return { state: status.state, step, stepsTotal, reward, etaSeconds, seconds: status.seconds };
}

function parseLine(line: string): z.infer<typeof MetricLine> | undefined {
  try {
    const parsed = MetricLine.safeParse(JSON.parse(line));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}
