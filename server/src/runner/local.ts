import { spawn, type ChildProcess } from "node:child_process";
import { closeSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { setTimeout as delay } from "node:timers/promises";
import { codeOf, HarnessError, messageOf } from "../base/errors.ts";
import { diskError } from "../base/files.ts";
import { silentLog, type Log } from "../base/log.ts";
import { isOver, type Executor, type JobStatus, type WaitOptions } from "./executor.ts";
import {
  askCancel,
  commitJob,
  endRecord,
  jobFiles,
  readJobFacts,
  type ExitRecord,
  type JobFacts,
} from "./jobDirectory.ts";
import { baseEnvironment, JobId, JobSpec, type JobFile, type JobRequest } from "./jobSpec.ts";
import { isAlive } from "./processes.ts";

export interface LocalExecutorOptions {
  /** Holds one folder per job. */
  readonly runsDirectory: string;
  /** Program and first arguments of the keeper, e.g. [process.execPath, "dist/keeper.cjs"]; the job directory is added. */
  readonly keeper: readonly string[];
  readonly pollMilliseconds?: number;
  readonly log?: Log;
}

/** Keepers that may fail to start for one job before we say so. */
const keeperAttempts = 3;

/** Runs jobs on this machine as detached process groups that survive this process. Linux and macOS. */
export class LocalExecutor implements Executor {
  readonly #runs: string;
  readonly #keeper: readonly string[];
  readonly #pollMilliseconds: number;
  readonly #log: Log;
  /** Keepers that we started and that run, and how often starting one failed. */
  readonly #started = new Map<string, { child: ChildProcess | undefined; failures: number }>();

  constructor(options: LocalExecutorOptions) {
    this.#runs = resolve(options.runsDirectory);
    this.#keeper = options.keeper;
    this.#pollMilliseconds = options.pollMilliseconds ?? 250;
    this.#log = options.log ?? silentLog;
  }

  directoryOf(id: string): string {
    const parsed = JobId.safeParse(id);
    if (!parsed.success)
      throw new HarnessError(
        "badInput",
        `"${id}" cannot be the id of a job: ${parsed.error.issues[0]?.message ?? ""}`,
      );
    return join(this.#runs, id);
  }

  // eslint-disable-next-line @typescript-eslint/require-await -- errors become rejections
  async submit(request: JobRequest): Promise<void> {
    if (process.platform === "win32")
      throw new HarnessError(
        "badInput",
        "Jobs on this machine need Linux or macOS; open the folder in WSL or on a remote host.",
      );
    const directory = this.directoryOf(request.id);
    const spec = JobSpec.parse(request);
    const job: JobFile = {
      protocol: 1,
      spec,
      inherited: baseEnvironment(),
      created: new Date().toISOString(),
    };
    try {
      mkdirSync(directory, { recursive: true, mode: 0o700 });
      const isNew = commitJob(directory, job);
      this.#log.info("jobs", isNew ? "submitted" : "already submitted", { job: spec.id });
    } catch (e) {
      throw diskError(e, directory);
    }
    const facts = this.#read(spec.id);
    if (!isDeepStrictEqual(facts.job.spec, spec))
      throw new HarnessError(
        "badInput",
        `The job ${spec.id} exists with another spec; choose another id or remove ${directory}.`,
      );
    this.#heal(spec.id, facts);
  }

  // eslint-disable-next-line @typescript-eslint/require-await -- errors become rejections
  async status(id: string): Promise<JobStatus> {
    const facts = this.#read(id);
    const cannotHeal = this.#heal(id, facts);
    if (facts.exit === undefined && cannotHeal !== undefined && !(facts.pid && isAlive(facts.pid))) {
      if (facts.pid === undefined) throw cannotHeal;
      return statusOf(id, facts, endRecord(facts, new Date()));
    }
    return statusOf(id, facts, facts.exit);
  }

  // eslint-disable-next-line @typescript-eslint/require-await -- errors become rejections
  async cancel(id: string): Promise<void> {
    const facts = this.#read(id);
    if (facts.exit !== undefined) return;
    askCancel(this.directoryOf(id));
    this.#log.info("jobs", "cancelling", { job: id });
    this.#heal(id, facts);
  }

  async wait(id: string, options: WaitOptions = {}): Promise<JobStatus> {
    for (;;) {
      if (options.signal?.aborted === true)
        throw new HarnessError("cancelled", `Stopped waiting for the job ${id}; it runs on.`);
      const status = await this.status(id);
      await options.onPoll?.(status);
      if (isOver(status)) return status;
      await delay(this.#pollMilliseconds, undefined, options.signal ? { signal: options.signal } : {}).catch(
        (e: unknown) => {
          if (codeOf(e) !== "ABORT_ERR") throw e;
        },
      );
    }
  }

  #read(id: string): JobFacts {
    const directory = this.directoryOf(id);
    let facts: JobFacts | undefined;
    try {
      facts = readJobFacts(directory);
    } catch (e) {
      throw new HarnessError("jobFailed", `${join(directory, jobFiles.spec)} is not a job: ${messageOf(e)}`, {
        cause: e,
      });
    }
    if (facts === undefined) throw new HarnessError("notFound", `There is no job ${id} in ${this.#runs}.`);
    return facts;
  }

  /** Starts a keeper for a job that has none: at first, after a restart, after somebody killed it. */
  #heal(id: string, facts: JobFacts): HarnessError | undefined {
    if (facts.exit !== undefined || (facts.keeper !== undefined && isAlive(facts.keeper))) return undefined;
    const started = this.#started.get(id) ?? { child: undefined, failures: 0 };
    this.#started.set(id, started);
    if (started.child !== undefined) return undefined;
    const directory = this.directoryOf(id);
    if (started.failures >= keeperAttempts)
      return new HarnessError(
        "jobFailed",
        `The keeper of the job ${id} does not start: ${lastLine(join(directory, jobFiles.keeperLog))}`,
      );
    const [program = "", ...args] = this.#keeper;
    const environment = baseEnvironment();
    // The editor's own binary is node only with this variable.
    if (process.env["ELECTRON_RUN_AS_NODE"] !== undefined) environment["ELECTRON_RUN_AS_NODE"] = "1";
    let log: number | "ignore" = "ignore";
    try {
      log = openSync(join(directory, jobFiles.keeperLog), "a", 0o600);
    } catch (e) {
      this.#log.warn("jobs", "no keeper log", { job: id, error: messageOf(e) });
    }
    const child = spawn(program, [...args, directory], {
      cwd: directory,
      env: environment,
      detached: true,
      stdio: ["ignore", "ignore", log],
    });
    if (log !== "ignore") closeSync(log);
    this.#log.info("jobs", "keeper started", { job: id, pid: child.pid, adopts: facts.pid !== undefined });
    started.child = child;
    child.unref();
    const gone = () => {
      started.child = undefined;
      // One that took the job over and was killed later did start.
      if (child.exitCode !== 0 && readJobFacts(directory)?.keeper?.pid !== child.pid) started.failures++;
    };
    child.on("error", gone);
    child.on("exit", gone);
    return undefined;
  }
}

function statusOf(id: string, facts: JobFacts, exit: ExitRecord | undefined): JobStatus {
  const now = Date.now();
  const stopped = exit?.stopped ?? facts.stopped;
  return {
    id,
    state:
      exit === undefined ? (facts.pid === undefined ? "queued" : "running") : exit.lost ? "lost" : "exited",
    exitCode: exit?.exitCode ?? null,
    signal: exit?.signal ?? null,
    timedOut: stopped === "timeout",
    cancelled: stopped === "cancelled",
    oversize: stopped === "oversize",
    reason: exit?.reason ?? null,
    heartbeatAgeSeconds: facts.heartbeatAt ? Math.max(0, (now - facts.heartbeatAt.getTime()) / 1000) : null,
    seconds: exit?.seconds ?? (facts.startedAt ? Math.max(0, (now - facts.startedAt.getTime()) / 1000) : 0),
  };
}

function lastLine(path: string): string {
  try {
    return readFileSync(path, "utf8").trimEnd().split("\n").at(-1) ?? "";
  } catch {
    return "it left no message";
  }
}
