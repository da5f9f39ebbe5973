import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import type { TestRay } from "./startRay.ts";

const Recorded = z.record(z.string(), z.object({ status: z.number(), body: z.unknown() }));
/** Answers of Ray 2.58.0, with `@id` in place of the job's id, and without the names and times of the recording. */
export const recorded = Recorded.parse(
  JSON.parse(readFileSync(new URL("recorded.json", import.meta.url), "utf8")),
);

const Submission = z.looseObject({
  submission_id: z.string(),
  entrypoint: z.string(),
  entrypoint_num_gpus: z.number().optional(),
  entrypoint_resources: z.record(z.string(), z.number()).optional(),
  runtime_env: z.looseObject({
    env_vars: z.record(z.string(), z.string()),
    working_dir: z.string().optional(),
  }),
});
type Submission = z.infer<typeof Submission>;

interface FakeJob {
  readonly submission: Submission;
  /** The name of the recorded answer for the job's state. */
  told: string;
  pid: number | undefined;
  code: number | undefined;
}

export interface RecordedRay extends TestRay {
  /** Requests so far, as "METHOD path". */
  readonly asked: string[];
  readonly submissions: Submission[];
  /** Lets jobs continue that wait for the resource "later". */
  release(): void;
  /** Stops waiting for resources, as Ray does after a quarter of an hour. */
  giveUp(): void;
  /** Forgets all jobs, as Ray does after a restart of its head. */
  forgetAll(): void;
}

const gpusOfNode = 2;

/**
 * A dashboard that gives recorded answers and runs entrypoints as Ray does: in a separate session, with one TERM for each
 * process when a job is stopped, and a KILL afterwards.
 */
export async function startRecordedRay(options: { token?: string } = {}): Promise<RecordedRay> {
  const root = mkdtempSync(join(tmpdir(), "evoray-"));
  const jobs = new Map<string, FakeJob>();
  const asked: string[] = [];
  const submissions: Submission[] = [];
  let isReleased = false;

  const logOf = (id: string): string => join(root, `${id}.log`);
  function run(id: string, job: FakeJob): void {
    const { entrypoint, entrypoint_num_gpus: gpus = 0, runtime_env: env } = job.submission;
    appendFileSync(logOf(id), `Running entrypoint for job ${id}: ${entrypoint}\n`);
    job.told = "running";
    const child = spawn("sh", ["-c", `exec >>"$0" 2>&1; ${entrypoint}`, logOf(id)], {
      cwd: root,
      detached: true,
      stdio: "ignore",
      env: {
        PATH: process.env["PATH"],
        HOME: process.env["HOME"],
        RAY_ADDRESS: "192.0.2.1:6379",
        OF_THE_NODE: "node",
        ...(gpus > 0 ? { CUDA_VISIBLE_DEVICES: "0" } : {}),
        ...env.env_vars,
      },
    });
    job.pid = child.pid;
    child.on("exit", (code) => {
      if (job.told !== "running") return;
      job.code = code ?? undefined;
      job.told = code === 0 ? "succeeded" : "failed";
    });
  }

  function begin(id: string, job: FakeJob): void {
    const { runtime_env: env, entrypoint_num_gpus: gpus = 0, entrypoint_resources: other } = job.submission;
    if (env.working_dir?.startsWith("/nonexistent") === true) job.told = "unstartable";
    else if (env.working_dir?.startsWith("https:") === true) job.told = "environment";
    else if (gpus > gpusOfNode || (other?.["later"] !== undefined && !isReleased)) job.told = "waiting";
    else setTimeout(() => run(id, job), 50);
  }

  function submit(body: string): [string, string] {
    const submission = Submission.parse(JSON.parse(body));
    const id = submission.submission_id;
    submissions.push(submission);
    if ("entrypoint_bogus" in submission) return ["unknownField", id];
    if (jobs.has(id)) return ["exists", id];
    const job: FakeJob = { submission, told: "pending", pid: undefined, code: undefined };
    jobs.set(id, job);
    begin(id, job);
    return ["submitted", id];
  }

  async function end(job: FakeJob): Promise<void> {
    const tree = descendants(job.pid ?? 0);
    for (const pid of tree) kill(pid, "SIGTERM");
    const seconds = Number(job.submission.runtime_env.env_vars["RAY_JOB_STOP_WAIT_TIME_S"] ?? 3);
    for (let i = 0; i < seconds * 20 && tree.some(isAlive); i++) await delay(50);
    for (const pid of tree) kill(pid, "SIGKILL");
    job.told = "stopped";
  }

  function stopJob(job: FakeJob): string {
    if (job.told !== "running")
      return job.told === "pending" || job.told === "waiting" ? "stopping" : "notStopped";
    job.told = "running";
    void end(job);
    return "stopping";
  }

  function forget(id: string, job: FakeJob): string {
    if (["pending", "waiting", "running"].includes(job.told)) return "forgetRefused";
    jobs.delete(id);
    return "forgotten";
  }

  function answerTo(method: string, path: string, body: string): [name: string, id: string] {
    if (path === "/api/version") return ["version", ""];
    if (method === "POST" && path === "/api/jobs/") return submit(body);
    const [, id = "", verb] = /^\/api\/jobs\/([^/]+)(?:\/(logs|stop))?$/.exec(path) ?? [];
    const job = jobs.get(id);
    if (job === undefined) return ["unknown", id];
    if (verb === "stop") return [stopJob(job), id];
    if (verb === "logs") return ["log", id];
    return [method === "DELETE" ? forget(id, job) : job.told, id];
  }

  function answer(request: IncomingMessage, response: ServerResponse, body: string): void {
    asked.push(`${request.method ?? ""} ${request.url ?? ""}`);
    if (options.token !== undefined && request.headers.authorization !== `Bearer ${options.token}`) {
      response.writeHead(401).end("Unauthorized: Missing or invalid authentication token");
      return;
    }
    const [name, id] = answerTo(request.method ?? "", request.url ?? "", body);
    const { status, body: said } = recorded[name] ?? { status: 500, body: "" };
    const text =
      typeof said === "string" ? said : JSON.stringify(filled(name, said, jobs.get(id), logOf(id)));
    response.writeHead(status).end(text.replaceAll("@id", id));
  }

  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString("utf8")));
    request.on("end", () => answer(request, response, body));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;

  return {
    address: `127.0.0.1:${port}`,
    asked,
    submissions,
    endSupervisor: (directory) => {
      const job = [...jobs.values()].find(({ submission }) => submission.entrypoint.includes(directory));
      if (job?.pid === undefined) throw new Error("It does not run.");
      job.told = "died";
      kill(-job.pid, "SIGKILL");
    },
    dashboard: async (state) => {
      if (state === "down") {
        server.closeAllConnections();
        server.close();
        await once(server, "close");
      } else {
        server.listen(port, "127.0.0.1");
        await once(server, "listening");
      }
    },
    release: () => {
      isReleased = true;
      for (const [id, job] of jobs) if (job.told === "waiting") begin(id, job);
      isReleased = false;
    },
    giveUp: () => {
      for (const job of jobs.values()) if (job.told === "waiting") job.told = "gaveUp";
    },
    forgetAll: () => jobs.clear(),
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await delay(0);
      rmSync(root, { recursive: true, force: true });
    },
  };
}

/** A recorded answer with the values that differ from job to job. */
function filled(name: string, said: unknown, job: FakeJob | undefined, log: string): unknown {
  if (name === "log") {
    const logs = readLog(log);
    return logs === "" ? recorded["noLog"]?.body : { logs };
  }
  if (job === undefined || typeof said !== "object" || said === null || !("entrypoint" in said)) return said;
  const told = { ...said, entrypoint: job.submission.entrypoint };
  return name === "failed"
    ? {
        ...told,
        message: `Job entrypoint command failed with exit code ${job.code ?? 1}, last available logs (truncated to 20,000 chars):\n${readLog(log)}`,
      }
    : told;
}

function readLog(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended.
  }
}

function isAlive(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

function descendants(pid: number): number[] {
  const pairs = execFileSync("ps", ["-eo", "pid=,ppid="], { encoding: "utf8" })
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number));
  const found = [pid];
  for (const parent of found)
    for (const [child = 0, of = 0] of pairs) if (of === parent && child > 0) found.push(child);
  return found;
}
