import { readdirSync } from "node:fs";
import { join } from "node:path";
import { codeOf } from "../../base/errors.ts";
import { readPlainHead } from "../../base/plainFile.ts";
import type { JobStatus } from "./executor.ts";
import {
  batchEndOf,
  endOf,
  jobFiles,
  stoppedBy,
  stopReasons,
  type BatchEnd,
  type JobEnd,
  type JobEntry,
  type StopReason,
} from "./jobEnd.ts";
import type { ProcessIdentity } from "./processes.ts";
import { waitsInRay } from "./rayStates.ts";
import { waitsInSlurm } from "./slurmStates.ts";

/** What a job directory says, on this machine or on another one. */
export interface JobFacts {
  readonly end: JobEnd | undefined;
  readonly leader: ProcessIdentity | undefined;
  readonly startedAt: Date | undefined;
  readonly stopped: StopReason | undefined;
  /** How many keepers the job has had so far. */
  readonly keepers: number;
  readonly keeper: ProcessIdentity | undefined;
  readonly heartbeatAt: Date | undefined;
  /** What a queued job waits for, as one clause. */
  readonly waitsFor: string | null;
  /** Slurm or Ray runs it. */
  readonly isBatch: boolean;
  /** The last that either said of it. */
  readonly batchEnd: BatchEnd | undefined;
  /** The line of `ray.queue`; "" when there is none. */
  readonly inRay: string;
  /** When its end was recorded. */
  readonly endedAt: Date | undefined;
  /** What accounting says of it: seconds, and KiB of memory at its peak. */
  readonly accounted: { readonly seconds: number | null; readonly peakKib: number | null };
  /** Seconds of attempts that were interrupted, which Slurm began again. */
  readonly earlierSeconds: number;
}

/** The entries that `factsOf` reads, in a directory listing. */
export function isJobEntry(name: string): boolean {
  return /^(?:job|keeper|pid|exit|cancel|waiting|heartbeat|attempt|(?:slurm|ray)\.(?:job|queue|end)|stop\.(?:cancelled|timeout|oversize)|code\.\d{1,3})$/.test(
    name,
  );
}

/** What only a queue's keeper writes: in the folder of a job of this machine, the job itself has written it. */
const isOfQueue = /^(?:attempt|(?:slurm|ray)\.)/;

/** What marks an end is a file of the keeper's that was renamed: while that one is there, the job itself wrote the mark. */
const isForged = (name: string, names: ReadonlySet<string>): boolean =>
  /^(?:exit$|code\.|stop\.)/.test(name) && names.has(name.replace(/(?:\..*)?$/, ".pending"));

/** Reads a job directory of this machine; undefined when no job was submitted there. */
export function readJobFacts(directory: string): JobFacts | undefined {
  const entries = new Map<string, JobEntry>();
  const names = new Set(list(directory));
  for (const name of names)
    if (isJobEntry(name) && !isOfQueue.test(name) && !isForged(name, names))
      entries.set(name, read(join(directory, name)));
  return entries.has(jobFiles.job) ? factsOf(entries) : undefined;
}

/** Makes sense of the entries of a job directory; what cannot be read is taken for not written yet. */
export function factsOf(entries: ReadonlyMap<string, JobEntry>): JobFacts {
  const lineOf = (name: string): string => entries.get(name)?.line ?? "";
  const keeper = /^(\d+) (.+)$/.exec(lineOf("keeper"));
  const pid = lineOf("pid");
  const started = /^\d+ \S+ \S+ \d+ (\d+)$/.exec(pid)?.[1];
  const startedAt = started === undefined ? undefined : new Date(Number(started) * 1000);
  const batchEnd = batchEndOf(entries);
  const stopped =
    stopReasons.find((reason) => entries.has(`stop.${reason}`)) ??
    (batchEnd === undefined ? undefined : stoppedBy(batchEnd));
  const exit = entries.get("exit");
  return {
    end: exit && endOf(exit, { entries, stopped, startedAt, batchEnd }),
    leader: identityOf(pid),
    startedAt,
    stopped,
    keepers: Number(keeper?.[1] ?? 0),
    keeper: identityOf(keeper?.[2] ?? ""),
    heartbeatAt: entries.get("heartbeat")?.modified,
    waitsFor:
      waitsForGpus(lineOf("waiting")) ??
      waitsInSlurm(lineOf("slurm.queue")) ??
      waitsInRay(lineOf("ray.queue")),
    isBatch: entries.has("slurm.job") || entries.has("ray.job"),
    batchEnd,
    inRay: lineOf("ray.queue"),
    endedAt: exit?.modified,
    accounted: accountedIn(lineOf("slurm.end")),
    earlierSeconds: Number(/^\d+ (\d{1,12})$/.exec(lineOf("attempt"))?.[1] ?? 0) / 100,
  };
}

/** `<state> <code> <seconds> <KiB> <reason>`, with - for what is not known. */
function accountedIn(line: string): JobFacts["accounted"] {
  const [, seconds, peak] = /^\S+ \S+ (\d+|-) (\d+|-) /.exec(line) ?? [];
  const known = (text: string | undefined): number | null =>
    text === undefined || text === "-" ? null : Number(text);
  return { seconds: known(seconds), peakKib: known(peak) };
}

/** Why a job ended as Slurm says it did, and what to do, where its code does not tell. */
function becauseOf({ batchEnd, accounted: { peakKib } }: JobFacts): { because?: string } {
  if (batchEnd?.queue !== "slurm") return {};
  if (batchEnd.state === "OUT_OF_MEMORY") {
    const peak = peakKib === null ? "" : ` (${Math.round(peakKib / 1024)} MiB at its peak)`;
    return { because: `it used more memory than Slurm gave it${peak}; raise slurm.memory of the host` };
  }
  if (batchEnd.state === "TIMEOUT" || batchEnd.state === "DEADLINE")
    return { because: "its time in Slurm ran out; raise slurm.minutes of the host, or leave it out" };
  return {};
}

/** An end that may be Slurm's or Ray's doing counts once they have said so. */
function isTold({ end, isBatch, batchEnd, stopped }: JobFacts): boolean {
  return !isBatch || end?.exitCode === 0 || batchEnd !== undefined || stopped !== undefined;
}

function waitsForGpus(line: string): string | null {
  const [, wanted, all] = /^(\d+) (\d+) (\d+)$/.exec(line) ?? [];
  if (wanted === undefined) return null;
  return Number(wanted) > Number(all)
    ? `it wants ${wanted} GPUs and the machine has ${all}`
    : `it waits for ${wanted === "1" ? "a GPU" : `${wanted} GPUs`}`;
}

/** What everybody else is told about a job. `now` is the time of the machine where it runs. */
export function statusOf(id: string, facts: JobFacts, now: Date): JobStatus {
  const { stopped } = facts;
  const end = isTold(facts) ? facts.end : undefined;
  // One that Slurm will begin again waits, although it had begun.
  const isBegun = facts.leader !== undefined && !(facts.isBatch && facts.waitsFor !== null);
  const since = (time: Date | undefined): number | null =>
    time ? Math.max(0, (now.getTime() - time.getTime()) / 1000) : null;
  return {
    id,
    state: end === undefined ? (isBegun ? "running" : "queued") : end.lost ? "lost" : "exited",
    exitCode: end?.exitCode ?? null,
    signal: end?.signal ?? null,
    timedOut: stopped === "timeout",
    cancelled: stopped === "cancelled",
    oversize: stopped === "oversize",
    reason: end === undefined ? facts.waitsFor : end.reason,
    heartbeatAgeSeconds: since(facts.heartbeatAt),
    seconds: facts.earlierSeconds + (secondsOf(facts, end) ?? since(facts.startedAt) ?? 0),
    ...(end?.mend == null ? {} : { mend: end.mend }),
    ...becauseOf(facts),
  };
}

/** As the keeper recorded it, else as accounting did. */
function secondsOf({ accounted }: JobFacts, end: JobEnd | undefined): number | undefined {
  return end === undefined || end.seconds > 0 ? end?.seconds : (accounted.seconds ?? end.seconds);
}

/** `<pid> <start time> <boot id>` at the beginning of a line. */
function identityOf(line: string): ProcessIdentity | undefined {
  const match = /^(\d+) (\S+) (\S+)(?: |$)/.exec(line);
  return match === null ? undefined : { pid: Number(match[1]), start: match[2] ?? "", boot: match[3] ?? "" };
}

function list(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch (e) {
    if (codeOf(e) === "ENOENT") return [];
    throw e;
  }
}

/** More than the first line of any entry has. */
const headBytes = 16_384;

function read(path: string): JobEntry {
  try {
    const head = readPlainHead(path, headBytes);
    if (head === undefined) return { line: "", modified: undefined };
    return { line: (head.bytes.toString("utf8").split("\n", 1)[0] ?? "").trimEnd(), modified: head.modified };
  } catch {
    return { line: "", modified: undefined };
  }
}
