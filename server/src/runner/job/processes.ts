import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** A process that cannot be mistaken for another one that got its number later, or after a restart of the machine. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Start time as the system counts it. */
  readonly start: string;
  readonly boot: string;
}

/** Who the process of this number is now; undefined where there is none. */
export function identify(pid: number): ProcessIdentity | undefined {
  const start = startOf(pid);
  return start === undefined ? undefined : { pid, start, boot: readBootId() };
}

/** Names the time since the machine was last started; another value means that no older process can be alive. */
function readBootId(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return ps("sysctl", ["-n", "kern.boottime"]).replace(/\s/g, "") || "unknown";
  }
}

/** Whether this very process still runs. A zombie does not. */
export function isAlive(identity: ProcessIdentity): boolean {
  return identity.boot === readBootId() && startOf(identity.pid) === identity.start;
}

/** undefined for a process that does not exist or is a zombie: where PID 1 does not reap, zombies stay for ever. */
function startOf(pid: number): string | undefined {
  if (process.platform !== "linux") return startFromPs(pid);
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name in parentheses may hold anything, so fields are counted from the last one: state, ppid, pgrp, …
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" || fields[0] === "X" ? undefined : fields[19];
  } catch {
    return undefined;
  }
}

function startFromPs(pid: number): string | undefined {
  const match = /^\s*(\S+)\s+(.+)$/.exec(ps("ps", ["-o", "stat=,lstart=", "-p", String(pid)]));
  if (match === null || match[1]?.startsWith("Z") === true) return undefined;
  return (match[2] ?? "").trim().replace(/\s+/g, "_");
}

function ps(program: string, args: string[]): string {
  try {
    return execFileSync(program, args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  } catch {
    return "";
  }
}
