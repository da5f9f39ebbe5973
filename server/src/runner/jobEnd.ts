import { constants } from "node:os";
import { lostBySlurm } from "./slurm/slurmStates.ts";

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

/** How a job ended. */
export interface JobEnd {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly reason: string | null;
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
    batchEnd: string | undefined;
  },
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
  if ((code ?? said) !== "code.0" && (batchEnd === "PREEMPTED" || batchEnd === "NODE_FAIL"))
    return { ...end, lost: true, reason: lostBySlurm(batchEnd) };
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
      return { ...end, ...unstarted(detail, folder, batchEnd) };
    case "slurm":
      if (batchEnd === "OUT_OF_MEMORY") return { ...end, signal: "SIGKILL" };
      return stopped === undefined
        ? { ...end, lost: true, reason: lostBySlurm(batchEnd ?? "GONE") }
        : { ...end, signal: "SIGKILL" };
    default:
      // Our own KILL is an end, somebody else's is a loss.
      return stopped === undefined
        ? { ...end, lost: true, reason: "its processes were killed from outside" }
        : { ...end, signal: "SIGKILL" };
  }
}

function unstarted(
  detail: string,
  folder: string | undefined,
  batchEnd: string | undefined,
): Pick<JobEnd, "lost" | "reason"> {
  switch (detail) {
    case "cancelled":
      return { lost: false, reason: "it was cancelled before it started" };
    case "killed":
    case "timeout":
      return { lost: true, reason: lostBySlurm(batchEnd ?? "GONE") };
    case "cwd":
      return {
        lost: false,
        reason: `it could not be started in ${folder ?? "its folder"}, which does not exist or cannot be entered`,
      };
    default:
      return { lost: false, reason: `it could not be started; ${jobFiles.keeperLog} says why` };
  }
}

/** Shells report death by signal n as 128 + n. */
function signalName(wanted: number): string | null {
  return Object.entries(constants.signals).find(([, number]) => number === wanted)?.[0] ?? null;
}
