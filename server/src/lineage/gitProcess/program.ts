import { spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { messageOf } from "../../base/errors.ts";

/** A program in a session of its own: an interrupt at the terminal does not reach it. */
export interface ProgramCommand {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly input?: string | Uint8Array;
  /** The file that its messages are added to; then what it prints is dropped. Without it, both are collected. */
  readonly log?: string;
}

export interface ProgramStart {
  /** Undefined where it could not be started. */
  readonly pid: number | undefined;
  /** Why its messages go nowhere. */
  readonly withoutLog: string | undefined;
}

export interface ProgramEnd {
  /** Null for one that was killed or could not be started. */
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Starts a program as a child of this process, and waits for its end. */
export function runProgram(
  command: ProgramCommand,
  onStart?: (start: ProgramStart) => void,
): Promise<ProgramEnd> {
  const { program, args, cwd, env, input, log } = command;
  let [file, withoutLog]: [number | "ignore", string | undefined] = ["ignore", undefined];
  try {
    if (log !== undefined) file = openSync(log, "a", 0o600);
  } catch (e) {
    withoutLog = messageOf(e);
  }
  const child = spawn(program, args, {
    ...{ cwd, env, detached: true },
    stdio: log === undefined ? ["pipe", "pipe", "pipe"] : ["ignore", "ignore", file],
  });
  if (file !== "ignore") closeSync(file);
  onStart?.({ pid: child.pid, withoutLog });
  // Its log is read later, by whoever looks for it: nobody stays for its end.
  if (log !== undefined) child.unref();
  const parts = { out: [] as Buffer[], err: [] as Buffer[] };
  child.stdout?.on("data", (d: Buffer) => parts.out.push(d));
  child.stderr?.on("data", (d: Buffer) => parts.err.push(d));
  // One that fails early closes its input; what it says tells why.
  child.stdin?.on("error", () => undefined);
  child.stdin?.end(input);
  return new Promise((resolve) => {
    const end = (code: number | null): void =>
      resolve({
        code,
        out: Buffer.concat(parts.out).toString("utf8"),
        err: Buffer.concat(parts.err).toString("utf8"),
      });
    child.on("error", (e) => {
      parts.err.push(Buffer.from(messageOf(e)));
      end(null);
    });
    child.on("close", end);
  });
}
