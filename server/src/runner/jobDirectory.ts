import {
  closeSync,
  fsyncSync,
  linkSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { codeOf } from "../base/errors.ts";
import { JobFile } from "./jobSpec.ts";
import { isAlive, parseIdentity, type ProcessIdentity } from "./processes.ts";

/** Files of a job directory: docs/jobs.md. Both the keeper and the executor use this module, and nothing else writes them. */
export const jobFiles = {
  spec: "job.json",
  pid: "pid",
  heartbeat: "heartbeat",
  cancel: "cancel",
  exit: "exit.json",
  stdout: "stdout.log",
  stderr: "stderr.log",
  keeperLog: "keeper.log",
} as const;

/** Files that exist from the start, so that ending, stopping and cancelling need only a rename: that works on a full disk. */
const pending = ["exit.pending", "code.pending", "stop.pending", "cancel.pending"] as const;
/** Room for exit.json, filled in place. */
const exitBytes = 1024;

export const stopReasons = ["cancelled", "timeout", "oversize"] as const;
export type StopReason = (typeof stopReasons)[number];

export const ExitRecord = z.object({
  exitCode: z.int().nullable(),
  signal: z.string().nullable(),
  stopped: z.enum(stopReasons).nullable(),
  /** Why the job is lost or was never started; null for a job that ended by itself or was stopped. */
  reason: z.string().nullable(),
  lost: z.boolean(),
  seconds: z.number().nonnegative(),
  ended: z.string(),
});
export type ExitRecord = z.infer<typeof ExitRecord>;

/** What a job directory says. */
export interface JobFacts {
  readonly job: JobFile;
  readonly exit: ExitRecord | undefined;
  /** Exit code that the job's own shell recorded. */
  readonly code: number | undefined;
  readonly pid: ProcessIdentity | undefined;
  readonly startedAt: Date | undefined;
  readonly stopped: StopReason | undefined;
  readonly stoppedAt: Date | undefined;
  readonly isCancelAsked: boolean;
  readonly keepers: number;
  readonly keeper: ProcessIdentity | undefined;
  readonly heartbeatAt: Date | undefined;
}

/** Reads a job directory; undefined when no job was submitted there. Throws when job.json is not a job. */
export function readJobFacts(directory: string): JobFacts | undefined {
  const names = new Set(list(directory));
  if (!names.has(jobFiles.spec)) return undefined;
  const job = JobFile.parse(JSON.parse(readFileSync(join(directory, jobFiles.spec), "utf8")));
  const stopped = stopReasons.find((reason) => names.has(`stop.${reason}`));
  const keepers = Math.max(0, ...[...names].map((name) => Number(/^keeper\.(\d+)$/.exec(name)?.[1] ?? 0)));
  const code = [...names].map((name) => /^code\.(\d+)$/.exec(name)?.[1]).find((c) => c !== undefined);
  const facts = {
    job,
    code: code === undefined ? undefined : Number(code),
    pid: parseIdentity(read(directory, jobFiles.pid)),
    startedAt: modified(directory, jobFiles.pid),
    stopped,
    stoppedAt: stopped && modified(directory, `stop.${stopped}`),
    isCancelAsked: names.has(jobFiles.cancel),
    keepers,
    keeper: keepers === 0 ? undefined : parseIdentity(read(directory, `keeper.${keepers}`)),
    heartbeatAt: modified(directory, jobFiles.heartbeat),
  };
  return { ...facts, exit: names.has(jobFiles.exit) ? readExit(directory, facts) : undefined };
}

/** exit.json, or what can be known without its content: on a full disk only its rename may have worked. */
function readExit(directory: string, facts: Omit<JobFacts, "exit">): ExitRecord {
  try {
    return ExitRecord.parse(JSON.parse(read(directory, jobFiles.exit)));
  } catch {
    const ended = modified(directory, jobFiles.exit) ?? new Date();
    return endRecord(facts, ended);
  }
}

/** How a job ended that no longer runs, from what its directory says. */
export function endRecord(facts: Omit<JobFacts, "exit">, ended: Date, fallbackSignal?: string): ExitRecord {
  const seconds = facts.startedAt ? Math.max(0, (ended.getTime() - facts.startedAt.getTime()) / 1000) : 0;
  const common = { stopped: facts.stopped ?? null, seconds, ended: ended.toISOString() };
  if (facts.code !== undefined) {
    const signal = signalOfCode(facts.code);
    return { ...common, exitCode: signal === null ? facts.code : null, signal, reason: null, lost: false };
  }
  const signal = fallbackSignal ?? (facts.stopped === undefined ? undefined : "SIGKILL");
  if (signal !== undefined) return { ...common, exitCode: null, signal, reason: null, lost: false };
  return {
    ...common,
    exitCode: null,
    signal: null,
    reason: "its processes were killed from outside",
    lost: true,
  };
}

/** A shell reports death by signal n as 128 + n. */
function signalOfCode(code: number): string | null {
  const found = Object.entries(constants.signals).find(([, number]) => code === 128 + number);
  return found === undefined ? null : found[0];
}

/** Puts a job into a directory. False when one is there already. */
export function commitJob(directory: string, job: JobFile): boolean {
  if (list(directory).includes(jobFiles.spec)) return false;
  for (const name of pending)
    if (!list(directory).includes(name))
      writeFileSync(join(directory, name), name === "exit.pending" ? " ".repeat(exitBytes) : "", {
        mode: 0o600,
      });
  return createWhole(directory, jobFiles.spec, `${JSON.stringify(job, null, 2)}\n`);
}

/** Creates a file that is never seen half-written; false when it exists. */
export function createWhole(directory: string, name: string, content: string): boolean {
  const temporary = join(directory, `.${name}.${process.pid}.${Math.random().toString(36).slice(2)}`);
  try {
    const file = openSync(temporary, "wx", 0o600);
    try {
      writeSync(file, content);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    linkSync(temporary, join(directory, name));
    return true;
  } catch (e) {
    if (codeOf(e) === "EEXIST") return false;
    throw e;
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** Takes over the supervision as keeper number `keepers + 1`; false when somebody else was faster or is alive. */
export function claimKeeper(directory: string, facts: JobFacts, self: ProcessIdentity): boolean {
  if (facts.keeper !== undefined && isAlive(facts.keeper)) return false;
  return createWhole(directory, `keeper.${facts.keepers + 1}`, `${self.pid} ${self.start} ${self.boot}\n`);
}

/** Leaves the mark that makes the keeper stop the job; a second call changes nothing. */
export function askCancel(directory: string): void {
  renameIfThere(directory, "cancel.pending", jobFiles.cancel);
}

/** Remembers that, why and since when the job is being stopped, so that no later keeper sends a second TERM. */
export function markStopping(directory: string, reason: StopReason): void {
  const now = new Date();
  try {
    utimesSync(join(directory, "stop.pending"), now, now);
  } catch {
    // Already renamed by an earlier keeper.
  }
  renameIfThere(directory, "stop.pending", `stop.${reason}`);
}

/** Records the end: fills the prepared file in place and renames it, both of which work on a full disk. */
export function recordExit(directory: string, record: ExitRecord): void {
  const path = join(directory, "exit.pending");
  try {
    const file = openSync(path, "r+");
    try {
      writeSync(file, JSON.stringify(record).padEnd(exitBytes), 0);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
  } catch {
    // Without content the record is derived from the other files.
  }
  renameIfThere(directory, "exit.pending", jobFiles.exit);
}

function renameIfThere(directory: string, from: string, to: string): void {
  try {
    renameSync(join(directory, from), join(directory, to));
  } catch (e) {
    if (codeOf(e) !== "ENOENT") throw e;
  }
}

function list(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch (e) {
    if (codeOf(e) === "ENOENT") return [];
    throw e;
  }
}

function read(directory: string, name: string): string {
  try {
    return readFileSync(join(directory, name), "utf8");
  } catch {
    return "";
  }
}

function modified(directory: string, name: string): Date | undefined {
  try {
    return statSync(join(directory, name)).mtime;
  } catch {
    return undefined;
  }
}
