import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

/** A process that cannot be mistaken for another one that got its number later, or after a restart of the machine. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Start time as the system counts it. */
  readonly start: string;
  readonly boot: string;
}

interface ProcessEntry {
  readonly start: string;
  readonly group: number;
}

/** Names the time since the machine was last started; another value means that no older process can be alive. */
export function readBootId(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return ps("sysctl", ["-n", "kern.boottime"]).replace(/\s/g, "") || "unknown";
  }
}

/** The identity of a process that is running now, or undefined. */
export function identify(pid: number): ProcessIdentity | undefined {
  const entry = readProcess(pid);
  return entry && { pid, start: entry.start, boot: readBootId() };
}

/** Whether this very process still runs. A zombie does not. */
export function isAlive(identity: ProcessIdentity): boolean {
  return identity.boot === readBootId() && readProcess(identity.pid)?.start === identity.start;
}

/** One line for a file: `<pid> <start time> <boot id>`. */
export function formatIdentity(identity: ProcessIdentity): string {
  return `${identity.pid} ${identity.start} ${identity.boot}\n`;
}

/** What `formatIdentity` wrote, or undefined for anything else. */
export function parseIdentity(text: string): ProcessIdentity | undefined {
  const match = /^(\d+) (\S+) (\S+)\n$/.exec(text);
  return match === null ? undefined : { pid: Number(match[1]), start: match[2] ?? "", boot: match[3] ?? "" };
}

/**
 * Processes of this user whose environment carries all of `marker`, this process excluded: finds what left its process
 * group. Linux only; elsewhere the answer is empty and only the process group is known.
 */
export function findMarked(marker: Readonly<Record<string, string>>): { pid: number; group: number }[] {
  const wanted = Object.entries(marker).map(([name, value]) => `${name}=${value}`);
  const found: { pid: number; group: number }[] = [];
  for (const name of listProc()) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    try {
      const environment = readFileSync(`/proc/${name}/environ`, "utf8").split("\0");
      const entry = wanted.every((w) => environment.includes(w)) ? readProcess(pid) : undefined;
      if (entry !== undefined) found.push({ pid, group: entry.group });
    } catch {
      // Gone meanwhile, or another user's: not ours.
    }
  }
  return found;
}

/** Sends a signal to a process, or to a group when `target` is negative; a process that is gone is no error. */
export function sendSignal(target: number, signal: NodeJS.Signals): void {
  try {
    process.kill(target, signal);
  } catch {
    // ESRCH: it ended by itself. EPERM: it is not ours any more.
  }
}

function listProc(): string[] {
  try {
    return readdirSync("/proc");
  } catch {
    return [];
  }
}

/** undefined for a process that does not exist or is a zombie: where PID 1 does not reap, zombies stay for ever. */
function readProcess(pid: number): ProcessEntry | undefined {
  if (process.platform !== "linux") return readProcessWithPs(pid);
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name in parentheses may hold anything, so fields are counted from the last one: state, ppid, pgrp, …
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (fields[0] === "Z" || fields[0] === "X") return undefined;
    return { start: fields[19] ?? "", group: Number(fields[2]) };
  } catch {
    return undefined;
  }
}

function readProcessWithPs(pid: number): ProcessEntry | undefined {
  const match = /^\s*(\d+)\s+(\S+)\s+(.+)$/.exec(ps("ps", ["-o", "pgid=,stat=,lstart=", "-p", String(pid)]));
  if (match === null || match[2]?.startsWith("Z") === true) return undefined;
  return { start: (match[3] ?? "").trim().replace(/\s+/g, "_"), group: Number(match[1]) };
}

function ps(program: string, args: string[]): string {
  try {
    return execFileSync(program, args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  } catch {
    return "";
  }
}
