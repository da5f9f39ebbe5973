import { spawnSync } from "node:child_process";

/** The exit code of a program that a person interrupted. */
const interrupted = 130;

/**
 * Runs a script to its end, with the terminal of its caller. Gives the code to end with and what to say of it; null where it went
 * well. Whoever interrupted it knows that, and it has said how to go on: that is no failure.
 */
export function runStage(what, args, options = {}) {
  const { status, signal } = spawnSync(process.execPath, args, { stdio: "inherit", ...options });
  if (signal !== null || status === interrupted) return { code: interrupted, said: "" };
  return status === 0 ? null : { code: status ?? 1, said: `${what} failed (exit code ${status}).\n` };
}
