import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { codeOf, HarnessError, messageOf } from "../base/errors.ts";
import { silentLog, type Log } from "../base/log.ts";
import { confinementHere } from "./job/confinementHere.ts";
import type { CannotConfine, Confine } from "./confine/step.ts";
import { isOver, type Executor, type JobStatus, type WaitOptions } from "./job/executor.ts";
import { readJobFacts, statusOf, type JobFacts } from "./job/jobDirectory.ts";
import { jobFiles } from "./job/jobEnd.ts";
import { JobId } from "../../../shared/model/jobId.ts";
import { baseEnvironment, JobSpec, type JobRequest } from "./job/jobSpec.ts";
import { posixChecksum, renderJob } from "./keeper/payload.ts";
import { submitError } from "./keeper/submitError.ts";
import { isAlive } from "./job/processes.ts";

export interface LocalExecutorOptions {
  /** Holds one folder per job. */
  readonly runsDirectory: string;
  /** Path of keeper.sh. */
  readonly keeper: string;
  readonly pollMilliseconds?: number;
  readonly log?: Log;
}

/** Keepers that may fail to start for one job before we say so. */
const keeperAttempts = 3;

/** Runs jobs on this machine as detached process groups that survive this process. Linux and macOS. */
export class LocalExecutor implements Executor {
  readonly #runs: string;
  readonly #keeper: string;
  readonly #pollMilliseconds: number;
  readonly #log: Log;
  #confinement: Promise<Confine | CannotConfine> | undefined;
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

  async submit(request: JobRequest): Promise<void> {
    if (process.platform === "win32")
      throw new HarnessError(
        "badInput",
        "Jobs on this machine need Linux or macOS; open the folder in WSL or on a remote host.",
      );
    const directory = this.directoryOf(request.id);
    const spec = JobSpec.parse(request);
    const payload = renderJob(spec);
    const answer = await this.#ask(
      ["submit", directory, String(payload.length), String(posixChecksum(payload))],
      payload,
    );
    if (!answer.startsWith("submitted ")) throw submitError(spec.id, directory, answer);
    this.#log.info("jobs", answer, { job: spec.id });
    this.#heal(spec.id, this.#read(spec.id));
  }

  // oxlint-disable-next-line typescript/require-await -- errors become rejections
  async status(id: string): Promise<JobStatus> {
    const facts = this.#read(id);
    const cannotHeal = this.#heal(id, facts);
    if (facts.end === undefined && cannotHeal !== undefined && !(facts.leader && isAlive(facts.leader)))
      throw cannotHeal;
    return statusOf(id, facts, new Date());
  }

  async cancel(id: string): Promise<void> {
    if (this.#read(id).end !== undefined) return;
    await this.#ask(["cancel", this.directoryOf(id)]);
    this.#log.info("jobs", "cancelling", { job: id });
    this.#heal(id, this.#read(id));
  }

  async wait(id: string, options: WaitOptions = {}): Promise<JobStatus> {
    for (;;) {
      if (options.signal?.aborted === true)
        throw new HarnessError("cancelled", `Stopped waiting for the job ${id}, which keeps running.`);
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

  confinement(): Promise<Confine | CannotConfine> {
    this.#confinement ??= confinementHere(this.#runs, this.#keeper);
    return this.#confinement;
  }

  #read(id: string): JobFacts {
    const directory = this.directoryOf(id);
    const facts = readJobFacts(directory);
    if (facts === undefined) throw new HarnessError("notFound", `There is no job ${id} in ${this.#runs}.`);
    return facts;
  }

  /** Runs one verb of the keeper and gives its answer, one line. @throws HarnessError jobFailed */
  async #ask(args: readonly string[], input?: Buffer): Promise<string> {
    // Ctrl+C in a terminal goes to all of its group: a job that is being handed over is handed over whole.
    const child = spawn("/bin/sh", [this.#keeper, ...args], { env: baseEnvironment(), detached: true });
    const parts: Record<"out" | "err", Buffer[]> = { out: [], err: [] };
    child.stdout.on("data", (d: Buffer) => parts.out.push(d));
    child.stderr.on("data", (d: Buffer) => parts.err.push(d));
    child.stdin.on("error", () => undefined);
    child.stdin.end(input);
    await once(child, "close");
    const answer = Buffer.concat(parts.out).toString("utf8").trim();
    if (answer !== "") return answer;
    throw new HarnessError(
      "jobFailed",
      `The keeper ${this.#keeper} does not run: ${Buffer.concat(parts.err).toString("utf8").trim() || "it left no message"}`,
    );
  }

  /** Starts a keeper for a job that has none: at first, after a restart, after somebody killed it. */
  #heal(id: string, facts: JobFacts): HarnessError | undefined {
    if (facts.end !== undefined || (facts.keeper !== undefined && isAlive(facts.keeper))) return undefined;
    const started = this.#started.get(id) ?? { child: undefined, failures: 0 };
    this.#started.set(id, started);
    if (started.child !== undefined) return undefined;
    const directory = this.directoryOf(id);
    if (started.failures >= keeperAttempts)
      return new HarnessError(
        "jobFailed",
        `The keeper of the job ${id} did not start: ${lastLine(join(directory, jobFiles.keeperLog))}`,
      );
    let log: number | "ignore" = "ignore";
    try {
      log = openSync(join(directory, jobFiles.keeperLog), "a", 0o600);
    } catch (e) {
      this.#log.warn("jobs", "no keeper log", { job: id, error: messageOf(e) });
    }
    const child = spawn("/bin/sh", [this.#keeper, "keep", directory], {
      cwd: directory,
      env: baseEnvironment(),
      detached: true,
      stdio: ["ignore", "ignore", log],
    });
    if (log !== "ignore") closeSync(log);
    this.#log.info("jobs", "keeper started", { job: id, pid: child.pid, adopts: facts.leader !== undefined });
    started.child = child;
    child.unref();
    const gone = () => {
      started.child = undefined;
      // One that took the job over and was killed later did start.
      if (child.exitCode !== 0 && readJobFacts(directory)?.keepers === facts.keepers) started.failures++;
    };
    child.on("error", gone);
    child.on("exit", gone);
    return undefined;
  }
}

function lastLine(path: string): string {
  try {
    return readFileSync(path, "utf8").trimEnd().split("\n").at(-1) ?? "";
  } catch {
    return "it left no message";
  }
}
