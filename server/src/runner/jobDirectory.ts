import { readdirSync, readFileSync, statSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { codeOf } from "../base/errors.ts";
import type { JobStatus } from "./executor.ts";
import type { ProcessIdentity } from "./processes.ts";

/** Files of a job directory that are named outside the keeper: docs/jobs.md. */
export const jobFiles = {
  job: "job",
  keeperLog: "keeper.log",
} as const;

const stopReasons = ["cancelled", "timeout", "oversize"] as const;
type StopReason = (typeof stopReasons)[number];

/** A small file of a job directory: its first line without padding, and when it was written. */
export interface JobEntry {
  readonly line: string;
  readonly modified: Date | undefined;
}

/** How a job ended. */
export interface JobEnd {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly reason: string | null;
  readonly lost: boolean;
  readonly seconds: number;
}

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
}

/** The entries that `factsOf` reads, in a directory listing. */
export function isJobEntry(name: string): boolean {
  return /^(?:job|keeper|pid|exit|cancel|waiting|heartbeat|stop\.(?:cancelled|timeout|oversize)|code\.\d{1,3})$/.test(
    name,
  );
}

/** Reads a job directory of this machine; undefined when no job was submitted there. */
export function readJobFacts(directory: string): JobFacts | undefined {
  const entries = new Map<string, JobEntry>();
  for (const name of list(directory)) if (isJobEntry(name)) entries.set(name, read(join(directory, name)));
  return entries.has(jobFiles.job) ? factsOf(entries) : undefined;
}

/** Makes sense of the entries of a job directory; what cannot be read is taken for not written yet. */
export function factsOf(entries: ReadonlyMap<string, JobEntry>): JobFacts {
  const keeper = /^(\d+) (.+)$/.exec(entries.get("keeper")?.line ?? "");
  const pid = entries.get("pid")?.line ?? "";
  const started = /^\d+ \S+ \S+ \d+ (\d+)$/.exec(pid)?.[1];
  const startedAt = started === undefined ? undefined : new Date(Number(started) * 1000);
  const stopped = stopReasons.find((reason) => entries.has(`stop.${reason}`));
  const [, wanted, all] = /^(\d+) (\d+) (\d+)$/.exec(entries.get("waiting")?.line ?? "") ?? [];
  const exit = entries.get("exit");
  return {
    end: exit && endOf(exit, { entries, stopped, startedAt }),
    leader: identityOf(pid),
    startedAt,
    stopped,
    keepers: Number(keeper?.[1] ?? 0),
    keeper: identityOf(keeper?.[2] ?? ""),
    heartbeatAt: entries.get("heartbeat")?.modified,
    waitsFor:
      wanted === undefined
        ? null
        : Number(wanted) > Number(all)
          ? `it wants ${wanted} GPUs and the machine has ${all}`
          : `it waits for ${wanted === "1" ? "a GPU" : `${wanted} GPUs`}`,
  };
}

/** The end as `exit` tells it. On a full disk it may be empty, and the other files have to do. */
function endOf(
  exit: JobEntry,
  {
    entries,
    stopped,
    startedAt,
  }: { entries: ReadonlyMap<string, JobEntry>; stopped: StopReason | undefined; startedAt: Date | undefined },
): JobEnd {
  const [, said = "killed", hundredths, folder] = /^(\S+) (\d+) \d+(?: (.*))?$/.exec(exit.line) ?? [];
  const code = [...entries.keys()].find((name) => name.startsWith("code."));
  const elapsed = startedAt && exit.modified ? (exit.modified.getTime() - startedAt.getTime()) / 1000 : 0;
  const end = {
    exitCode: null,
    signal: null,
    reason: null,
    lost: false,
    seconds: hundredths === undefined ? Math.max(0, elapsed) : Number(hundredths) / 100,
  };
  const [kind = "", detail = ""] = (code ?? said).split(/\.(.*)/s);
  switch (kind) {
    case "code": {
      const signal = signalName(Number(detail) - 128);
      return signal === null ? { ...end, exitCode: Number(detail) } : { ...end, signal };
    }
    case "signal":
      return { ...end, signal: signalName(Number(detail)) ?? `signal ${detail}` };
    case "restarted":
      return { ...end, lost: true, reason: "the machine was restarted" };
    case "noflock":
      return { ...end, reason: "it could not be started: GPUs need flock of util-linux on the machine" };
    case "unstarted":
      if (detail === "cancelled") return { ...end, reason: "it was cancelled before it started" };
      return {
        ...end,
        reason:
          detail === "cwd"
            ? `it could not be started in ${folder ?? "its folder"}, which does not exist or cannot be entered`
            : `it could not be started; ${jobFiles.keeperLog} says why`,
      };
    default:
      // Our own KILL is an end, somebody else's is a loss.
      return stopped === undefined
        ? { ...end, lost: true, reason: "its processes were killed from outside" }
        : { ...end, signal: "SIGKILL" };
  }
}

/** What everybody else is told about a job. `now` is the time of the machine where it runs. */
export function statusOf(id: string, facts: JobFacts, now: Date): JobStatus {
  const { end, stopped } = facts;
  const since = (time: Date | undefined): number | null =>
    time ? Math.max(0, (now.getTime() - time.getTime()) / 1000) : null;
  return {
    id,
    state:
      end === undefined ? (facts.leader === undefined ? "queued" : "running") : end.lost ? "lost" : "exited",
    exitCode: end?.exitCode ?? null,
    signal: end?.signal ?? null,
    timedOut: stopped === "timeout",
    cancelled: stopped === "cancelled",
    oversize: stopped === "oversize",
    reason: end === undefined ? facts.waitsFor : end.reason,
    heartbeatAgeSeconds: since(facts.heartbeatAt),
    seconds: end?.seconds ?? since(facts.startedAt) ?? 0,
  };
}

/** `<pid> <start time> <boot id>` at the beginning of a line. */
function identityOf(line: string): ProcessIdentity | undefined {
  const match = /^(\d+) (\S+) (\S+)(?: |$)/.exec(line);
  return match === null ? undefined : { pid: Number(match[1]), start: match[2] ?? "", boot: match[3] ?? "" };
}

/** Shells report death by signal n as 128 + n. */
function signalName(wanted: number): string | null {
  return Object.entries(constants.signals).find(([, number]) => number === wanted)?.[0] ?? null;
}

function list(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch (e) {
    if (codeOf(e) === "ENOENT") return [];
    throw e;
  }
}

function read(path: string): JobEntry {
  try {
    const modified = statSync(path).mtime;
    return { line: (readFileSync(path, "utf8").split("\n", 1)[0] ?? "").trimEnd(), modified };
  } catch {
    return { line: "", modified: undefined };
  }
}
