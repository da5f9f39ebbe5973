import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { HarnessError } from "../base/errors.ts";
import { silentLog, type Log } from "../base/log.ts";
import { confinementHere } from "./job/confinementHere.ts";
import type { CannotConfine, Confine } from "./confine/step.ts";
import { openEndBell } from "./endBell.ts";
import { isOver, type Executor, type JobStatus, type WaitOptions } from "./job/executor.ts";
import { readJobFacts, statusOf, type JobFacts } from "./job/jobDirectory.ts";
import { jobFiles } from "./job/jobEnd.ts";
import { JobId } from "../../../shared/model/jobId.ts";
import { JobSpec, type JobRequest } from "./job/jobSpec.ts";
import type { ProgramStart } from "../lineage/gitProcess/program.ts";
import { runKeeper, startKeeper } from "./keeper/keeperProcess.ts";
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
  readonly #started = new Map<string, { isRunning: boolean; failures: number }>();

  constructor(options: LocalExecutorOptions) {
    this.#runs = resolve(options.runsDirectory);
    this.#keeper = resolve(options.keeper);
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
    const bell = openEndBell(this.directoryOf(id));
    try {
      for (;;) {
        if (options.signal?.aborted === true)
          throw new HarnessError("cancelled", `Stopped waiting for the job ${id}, which keeps running.`);
        const status = await this.status(id);
        await options.onPoll?.(status);
        if (isOver(status)) return status;
        await bell.pause(this.#pollMilliseconds, options.signal);
      }
    } finally {
      bell.close();
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
    const { out, err } = await runKeeper(this.#keeper, args, input);
    const answer = out.trim();
    if (answer !== "") return answer;
    throw new HarnessError(
      "jobFailed",
      `The keeper ${this.#keeper} does not run: ${err.trim() || "it left no message"}`,
    );
  }

  /** Starts a keeper for a job that has none: at first, after a restart, after somebody killed it. */
  #heal(id: string, facts: JobFacts): HarnessError | undefined {
    if (facts.end !== undefined || (facts.keeper !== undefined && isAlive(facts.keeper))) return undefined;
    const started = this.#started.get(id) ?? { isRunning: false, failures: 0 };
    this.#started.set(id, started);
    if (started.isRunning) return undefined;
    const directory = this.directoryOf(id);
    if (started.failures >= keeperAttempts)
      return new HarnessError(
        "jobFailed",
        `The keeper of the job ${id} did not start: ${lastLine(join(directory, jobFiles.keeperLog))}`,
      );
    started.isRunning = true;
    const onStart = ({ pid, withoutLog }: ProgramStart): void => {
      if (withoutLog !== undefined) this.#log.warn("jobs", "no keeper log", { job: id, error: withoutLog });
      this.#log.info("jobs", "keeper started", { job: id, pid, adopts: facts.leader !== undefined });
    };
    void startKeeper(this.#keeper, directory, onStart).then((hasFailed) => {
      started.isRunning = false;
      // One that took the job over and was killed later did start.
      if (hasFailed && readJobFacts(directory)?.keepers === facts.keepers) started.failures++;
    });
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
