import { constants } from "node:os";
import { couldStart, lostByRay, stoppedByRay } from "./rayStates.ts";
import { lostBySlurm, stoppedBySlurm } from "./slurmStates.ts";

/** Files of a job directory that are named outside the keeper: docs/jobs.md. */
export const jobFiles = {
  job: "job",
  keeperLog: "keeper.log",
} as const;

export const stopReasons = ["cancelled", "timeout", "oversize"] as const;
export type StopReason = (typeof stopReasons)[number];

/** A small file of a job directory: its first line without padding, and when it was written. */
export interface JobEntry {
  readonly line: string;
  readonly modified: Date | undefined;
}

/** The last that a queue said of a job. */
export interface BatchEnd {
  readonly queue: "slurm" | "ray";
  /** As the queue calls it, e.g. TIMEOUT. */
  readonly state: string;
  /** What it said beside the state; from the host. */
  readonly said: string;
}

/** The line of `slurm.end` or `ray.end`; undefined while there is none. */
export function batchEndOf(entries: ReadonlyMap<string, JobEntry>): BatchEnd | undefined {
  for (const queue of ["slurm", "ray"] as const) {
    const [, state, said = ""] = /^([A-Z_]+)(?: (.*))?$/s.exec(entries.get(`${queue}.end`)?.line ?? "") ?? [];
    if (state !== undefined) return { queue, state, said };
  }
  return undefined;
}

/** How a queue ended a job of its own accord. */
export function stoppedBy({ queue, state }: BatchEnd): "cancelled" | "timeout" | undefined {
  return queue === "slurm" ? stoppedBySlurm(state) : stoppedByRay(state);
}

const lostBy = (end: BatchEnd | undefined): string =>
  end?.queue === "ray" ? lostByRay(end.state, end.said) : lostBySlurm(end?.state ?? "GONE");

/** How a job ended. */
export interface JobEnd {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly reason: string | null;
  /** What to correct when it could not be started; null when that is the command. */
  readonly mend: string | null;
  readonly lost: boolean;
  readonly seconds: number;
}

/** The end as `exit` tells it. On a full disk it may be empty, and the other files have to do. */
export function endOf(
  exit: JobEntry,
  {
    entries,
    stopped,
    startedAt,
    batchEnd,
  }: {
    entries: ReadonlyMap<string, JobEntry>;
    stopped: StopReason | undefined;
    startedAt: Date | undefined;
    batchEnd: BatchEnd | undefined;
  },
): JobEnd {
  const [, said = "killed", hundredths, folder] = /^(\S+) (\d+) \d+(?: (.*))?$/.exec(exit.line) ?? [];
  const code = [...entries.keys()].find((name) => name.startsWith("code."));
  const elapsed = startedAt && exit.modified ? (exit.modified.getTime() - startedAt.getTime()) / 1000 : 0;
  const end = {
    exitCode: null,
    signal: null,
    reason: null,
    mend: null,
    lost: false,
    seconds: hundredths === undefined ? Math.max(0, elapsed) : Number(hundredths) / 100,
  };
  // What Ray took away did not end by its own code, whatever it made of its TERM.
  const how = said === "ray.orphaned" ? said : (code ?? said);
  const [kind = "", detail = ""] = how.split(/\.(.*)/s);
  if (how !== "code.0" && (batchEnd?.state === "PREEMPTED" || batchEnd?.state === "NODE_FAIL"))
    return { ...end, lost: true, reason: lostBy(batchEnd) };
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
      return { ...end, reason: "it could not be started: GPUs need flock from util-linux on the machine" };
    case "unstarted":
      return { ...end, ...unstarted(detail, folder, batchEnd) };
    case "slurm":
    case "ray":
      return { ...end, ...taken(kind, stopped, batchEnd) };
    default:
      // Our own KILL is an end, somebody else's is a loss.
      return stopped === undefined
        ? { ...end, lost: true, reason: "its processes were killed from outside" }
        : { ...end, signal: "SIGKILL" };
  }
}

/** What a queue ended before the keeper could say how. */
function taken(
  queue: string,
  stopped: StopReason | undefined,
  batchEnd: BatchEnd | undefined,
): Pick<JobEnd, "lost" | "reason" | "signal"> {
  const isKilled = stopped !== undefined || (queue === "slurm" && batchEnd?.state === "OUT_OF_MEMORY");
  if (isKilled) return { lost: false, reason: null, signal: "SIGKILL" };
  const reason = queue === "ray" && batchEnd === undefined ? "Ray ended it" : lostBy(batchEnd);
  return { lost: true, reason, signal: null };
}

function unstarted(
  detail: string,
  folder: string | undefined,
  batchEnd: BatchEnd | undefined,
): Pick<JobEnd, "lost" | "reason"> & { mend?: string } {
  switch (detail) {
    case "cancelled":
      return { lost: false, reason: "it was cancelled before it started" };
    case "killed":
    case "timeout":
      if (batchEnd?.queue === "ray" && !couldStart(batchEnd.said))
        return {
          lost: false,
          reason: `${lostBy(batchEnd)}; see ray.log`,
          mend: "ray of the host in evotrainer.yaml",
        };
      return { lost: true, reason: lostBy(batchEnd) };
    case "cwd":
      return {
        lost: false,
        reason: `it could not be started in ${folder ?? "its folder"}, which does not exist or which this user may not enter`,
      };
    default:
      return { lost: false, reason: `it could not be started; ${jobFiles.keeperLog} says why` };
  }
}

/** Shells report death by signal n as 128 + n. */
function signalName(wanted: number): string | null {
  return Object.entries(constants.signals).find(([, number]) => number === wanted)?.[0] ?? null;
}
