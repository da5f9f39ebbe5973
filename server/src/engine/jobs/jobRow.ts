import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { JobRow, JobViewState } from "../../../../shared/protocol/views/job.ts";
import type { HostSpec } from "../../../../shared/spec/host.ts";
import { openPlainFile } from "../../base/plainFile.ts";
import { evidenceFiles, readTail } from "../../runner/job/evidenceSummary.ts";
import { isOver, type Executor } from "../../runner/job/executor.ts";
import { jobFiles } from "../../runner/job/jobEnd.ts";
import { hourlyPrice } from "../../runner/fleet/spending.ts";
import { readPlace } from "../../runner/job/runPlace.ts";
import { here } from "../workspace/machineNames.ts";
import { parseRunId } from "../workspace/runs.ts";
import { adviceFor } from "./advice.ts";
import { collapseOf } from "./collapse.ts";
import { lookUpJob, type KnownJob } from "./lookUp.ts";
import { readMetrics, stepsOf, type MetricFacts } from "./metrics.ts";

const tailBytes = 65_536;

export type Hosts = Readonly<Record<string, HostSpec>>;

/** A job as the views show it. @throws HarnessError notFound */
export async function jobRow(executor: Executor, id: string, hosts: Hosts): Promise<JobRow> {
  const directory = executor.directoryOf(id);
  const known = await lookUpJob(executor, id);
  const { status, host, outcome } = known;
  const state = stateOf(known);
  const seconds = outcome?.seconds ?? status.seconds;
  const facts = readMetrics(await readTail(join(directory, evidenceFiles.metrics), tailBytes), {
    mostPoints: 1,
  });
  const name = host ?? here;
  const spec = Object.hasOwn(hosts, name) ? hosts[name] : undefined;
  const place = await readPlace(directory);
  const gpus = place?.gpus ?? (await gpusOf(directory, spec?.gpus ?? 0));
  const work = nameOf(id);
  const collapsedAt = state === "finished" && work.work === "train" ? await collapseOf(directory) : undefined;
  return {
    id,
    ...work,
    ...(collapsedAt === undefined ? {} : { collapsedAt }),
    host,
    state,
    waitsFor: state === "queued" ? status.reason : null,
    startedAt: await startOf(directory),
    seconds,
    ...stepsOf(work.work, facts),
    reward: facts.reward,
    etaSeconds: state === "running" ? timeLeft(facts, seconds) : null,
    gpuUse: facts.gpuUse,
    gpus,
    cost: costOf(spec, seconds, gpus),
    failure: failureOf(known, state),
  };
}

function nameOf(id: string): Pick<JobRow, "version" | "work" | "seed" | "attempt"> {
  const name = parseRunId(id);
  return name ?? { version: id, work: "other", seed: null, attempt: 1 };
}

/** Seconds until the last step, if the steps to come take as long as those so far. */
function timeLeft({ step, stepsTotal }: MetricFacts, seconds: number): number | null {
  if (step === null || step === 0 || stepsTotal === null) return null;
  return Math.max(0, (seconds / step) * (stepsTotal - step));
}

function costOf(host: HostSpec | undefined, seconds: number, gpus: number): JobRow["cost"] {
  if (host?.price === undefined) return null;
  return { amount: (seconds / 3600) * hourlyPrice(host.price, gpus), currency: host.price.currency };
}

function stateOf({ status, outcome }: KnownJob): JobViewState {
  if (!isOver(status)) return status.state === "queued" ? "queued" : "running";
  if (status.cancelled) return "cancelled";
  if (status.state === "lost") return "lost";
  if (outcome === undefined) return "checking";
  return outcome.failure === null ? "finished" : "failed";
}

function failureOf({ status, outcome }: KnownJob, state: JobViewState): JobRow["failure"] {
  if (outcome !== undefined && outcome.failure !== null)
    return { class: outcome.failure, message: outcome.message, advice: adviceFor(outcome.failure) };
  if (state === "cancelled" || state === "lost")
    return {
      class: "harness_abort",
      message:
        state === "cancelled"
          ? `The job was cancelled after ${Math.round(status.seconds)} s.`
          : `The job was lost${status.reason === null ? ", and nobody knows why" : ` because ${status.reason}`}.`,
      advice: adviceFor("harness_abort"),
    };
  return null;
}

/** When the job was submitted: its folder says so, here and of one on a host. */
async function startOf(directory: string): Promise<string | null> {
  for (const name of [jobFiles.job, "host.json"]) {
    const found = await stat(join(directory, name)).catch(() => undefined);
    if (found !== undefined) return found.mtime.toISOString();
  }
  return null;
}

/** GPUs that the job asked for, from the head of its file; `otherwise` where that lies on a host. */
async function gpusOf(directory: string, otherwise: number): Promise<number> {
  const file = await openPlainFile(join(directory, jobFiles.job)).catch(() => undefined);
  if (file === undefined) return otherwise;
  try {
    const head = Buffer.alloc(512);
    const { bytesRead } = await file.read(head, 0, head.length, 0);
    return Number(/^#gpus (\d+)$/m.exec(head.toString("utf8", 0, bytesRead))?.[1] ?? otherwise);
  } finally {
    await file.close();
  }
}
