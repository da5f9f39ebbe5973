/**
 * Supervises one job: `node keeper.cjs <job directory>`. It is started by an executor, in a session of its own, and
 * outlives it. The protocol is docs/jobs.md. This file is an entry of its own; its log is its standard error.
 */
import { spawn } from "node:child_process";
import {
  closeSync,
  copyFileSync,
  openSync,
  readdirSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { messageOf } from "../base/errors.ts";
import {
  claimKeeper,
  createWhole,
  endRecord,
  jobFiles,
  markStopping,
  readJobFacts,
  recordExit,
  type ExitRecord,
  type JobFacts,
  type StopReason,
} from "./jobDirectory.ts";
import { jobEnvironment, jobMarker } from "./jobSpec.ts";
import {
  findMarked,
  formatIdentity,
  identify,
  isAlive,
  readBootId,
  sendSignal,
  type ProcessIdentity,
} from "./processes.ts";

const tickMilliseconds = 200;
const heartbeatMilliseconds = 1_000;
const leftoverMilliseconds = 3_000;

/**
 * The job's shell waits for a line before it starts the trainer: the line comes after `pid` is written, so that no
 * trainer runs that cannot be found again. It survives the TERM of its group and records the exit code itself, so that
 * the code is known even when no keeper is alive at the end.
 */
const shell = `d=$1; shift
read -r go || exit 98
exec </dev/null
trap : TERM INT HUP
command -p env -- "$@"
c=$?
command -p mv -f "$d/code.pending" "$d/code.$c"
exit $c`;

function main(directory: string): void {
  process.umask(0o077);
  // Sent to whole sessions at logout and shutdown: the job gets its own, the keeper stays to record what happens.
  for (const signal of ["SIGHUP", "SIGINT", "SIGTERM"] as const) process.on(signal, () => undefined);
  const self = identify(process.pid);
  let facts = readJobFacts(directory);
  if (self === undefined || facts === undefined) throw new Error(`There is no job in ${directory}.`);
  while (!claimKeeper(directory, facts, self)) {
    facts = readJobFacts(directory) ?? facts;
    if (facts.keeper !== undefined && isAlive(facts.keeper)) return;
  }
  facts = readJobFacts(directory) ?? facts;
  if (facts.exit !== undefined) return;
  new Keeper(directory, facts).run();
}

class Keeper {
  readonly #directory: string;
  readonly #facts: JobFacts;
  readonly #isAdopted: boolean;
  #leader: ProcessIdentity | undefined;
  #startedAt: number;
  #stopped: StopReason | undefined;
  #stoppedAt = 0;
  #lastHeartbeat = 0;
  #isOver = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(directory: string, facts: JobFacts) {
    this.#directory = directory;
    this.#facts = facts;
    this.#leader = facts.pid;
    this.#isAdopted = facts.pid !== undefined;
    this.#startedAt = facts.startedAt?.getTime() ?? Date.now();
    this.#stopped = facts.stopped;
    this.#stoppedAt = facts.stoppedAt?.getTime() ?? 0;
  }

  run(): void {
    this.#beat();
    if (this.#leader !== undefined && this.#leader.boot !== readBootId()) {
      this.#finish({ reason: "the machine was restarted" });
      return;
    }
    if (this.#leader === undefined) {
      if (this.#facts.isCancelAsked) {
        markStopping(this.#directory, "cancelled");
        this.#finish({ reason: "it was cancelled before it started" });
        return;
      }
      this.#start();
    }
    this.#timer = setInterval(() => this.#tick(), tickMilliseconds);
    this.#tick();
  }

  #start(): void {
    const { job } = this.#facts;
    const out = openSync(join(this.#directory, jobFiles.stdout), "a", 0o600);
    const err = openSync(join(this.#directory, jobFiles.stderr), "a", 0o600);
    const child = spawn("/bin/sh", ["-c", shell, "evotrainer-job", this.#directory, ...job.spec.command], {
      cwd: job.spec.cwd,
      env: jobEnvironment(job, this.#directory),
      detached: true,
      stdio: ["pipe", out, err],
    });
    closeSync(out);
    closeSync(err);
    child.on("error", (e) =>
      this.#finish({ reason: `it could not be started in ${job.spec.cwd}: ${messageOf(e)}` }),
    );
    child.stdin?.on("error", () => undefined);
    child.on("exit", (_code, signal) => this.#finish(signal === null ? {} : { signal }));
    const leader = child.pid === undefined ? undefined : identify(child.pid);
    if (leader === undefined) return;
    // Without a line the shell ends by itself, and the trainer was never started.
    createWhole(this.#directory, jobFiles.pid, formatIdentity(leader));
    this.#leader = leader;
    this.#startedAt = Date.now();
    child.stdin?.end("go\n");
  }

  #tick(): void {
    if (this.#isOver) return;
    this.#beat();
    if (this.#leader === undefined || !isAlive(this.#leader)) {
      // A child of ours reports its end itself; an adopted job has nobody else who does.
      if (this.#isAdopted) this.#finish({});
      return;
    }
    if (this.#stopped === undefined) {
      const reason = this.#reasonToStop();
      if (reason !== undefined) this.#stop(reason);
    } else if (Date.now() - this.#stoppedAt >= this.#facts.job.spec.graceSeconds * 1000)
      this.#signal("SIGKILL");
    for (const log of [jobFiles.stdout, jobFiles.stderr]) this.#limitLog(log);
  }

  #reasonToStop(): StopReason | undefined {
    const { spec } = this.#facts.job;
    const names = readdirSync(this.#directory);
    if (names.includes(jobFiles.cancel)) return "cancelled";
    if (Date.now() - this.#startedAt >= spec.budgetSeconds * 1000) return "timeout";
    let bytes = 0;
    for (const name of names) if (name.endsWith(".jsonl")) bytes += sizeOf(join(this.#directory, name));
    return bytes > spec.evidenceLimitBytes ? "oversize" : undefined;
  }

  #stop(reason: StopReason): void {
    this.#stopped = reason;
    this.#stoppedAt = Date.now();
    // Before the signal: many trainers take a second TERM for "now", so a later keeper must not send one.
    markStopping(this.#directory, reason);
    this.#signal("SIGTERM");
  }

  /** The group once, and each process that left the group once. */
  #signal(signal: "SIGTERM" | "SIGKILL"): void {
    const leader = this.#leader;
    if (leader === undefined) return;
    sendSignal(-leader.pid, signal);
    for (const { pid, group } of this.#marked()) if (group !== leader.pid) sendSignal(pid, signal);
  }

  #marked(): { pid: number; group: number }[] {
    return findMarked(jobMarker(this.#facts.job.spec.id, this.#directory));
  }

  /** Nothing of the job outlives it; then its end is recorded. */
  #finish(how: { signal?: string; reason?: string }): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearInterval(this.#timer);
    // The number of an adopted group that ended long ago may belong to somebody else by now.
    if (this.#leader !== undefined && (!this.#isAdopted || isAlive(this.#leader)))
      sendSignal(-this.#leader.pid, "SIGKILL");
    const deadline = Date.now() + leftoverMilliseconds;
    const sweep = (): void => {
      const left = this.#marked();
      for (const { pid } of left) sendSignal(pid, "SIGKILL");
      if (left.length > 0 && Date.now() < deadline) setTimeout(sweep, 50);
      else this.#record(how);
    };
    sweep();
  }

  #record(how: { signal?: string; reason?: string }): void {
    const facts = readJobFacts(this.#directory) ?? this.#facts;
    const record: ExitRecord = endRecord(facts, new Date(), how.signal);
    const lost = how.reason !== undefined && facts.pid !== undefined;
    recordExit(
      this.#directory,
      how.reason === undefined ? record : { ...record, signal: null, reason: how.reason, lost },
    );
    process.exit(0);
  }

  /** Setting a file's times needs no space, so a full disk does not make a live job look dead. */
  #beat(): void {
    const now = Date.now();
    if (now - this.#lastHeartbeat < heartbeatMilliseconds) return;
    this.#lastHeartbeat = now;
    const path = join(this.#directory, jobFiles.heartbeat);
    try {
      utimesSync(path, new Date(now), new Date(now));
    } catch {
      try {
        writeFileSync(path, "", { mode: 0o600 });
      } catch {
        // No space for an empty file: the keeper's own pid still shows that it lives.
      }
    }
  }

  /** The job appends, so its log can be emptied under it. */
  #limitLog(name: string): void {
    const path = join(this.#directory, name);
    if (sizeOf(path) <= this.#facts.job.spec.logLimitBytes) return;
    try {
      copyFileSync(path, `${path}.1`);
    } catch {
      // A full disk: emptying the log is what helps.
    }
    truncateSync(path, 0);
  }
}

function sizeOf(path: string): number {
  try {
    return statSync(path).size;
  } catch {
    return 0;
  }
}

try {
  main(process.argv[2] ?? "");
} catch (e) {
  process.stderr.write(
    `${new Date().toISOString()} ${e instanceof Error ? (e.stack ?? e.message) : String(e)}\n`,
  );
  process.exit(1);
}
