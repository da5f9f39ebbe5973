import { directGit, type DirectGit } from "./direct.ts";
import { runProgram } from "./program.ts";
import {
  sentError,
  type GitCommand,
  type GitRequest,
  type ProgramRequest,
  type Reply,
  type Request,
} from "./wire.ts";

/**
 * The small process that starts git, and keepers of jobs, for a large one. To start a program, Linux copies the page tables of
 * the process that starts it: 2 ms at 50 MB, 20 to 30 ms at 250 MB and more, in which an engine does nothing else (measured).
 */
const mostBound = 50;
const bound = new Map<string, DirectGit>();

/** Commands of one folder share what limits how many of them run at a time. */
function boundTo({ directory, config, base }: GitCommand): DirectGit {
  const key = JSON.stringify([directory, config, base]);
  const found = bound.get(key);
  if (found !== undefined) return found;
  const made = directGit(directory, config, base);
  for (const oldest of bound.keys()) {
    if (bound.size < mostBound) break;
    bound.delete(oldest);
  }
  bound.set(key, made);
  return made;
}

/** Is kept once the piece is on its way, so that a slow reader holds git up and not this process's memory. */
function sent(reply: Reply): Promise<void> {
  return new Promise((resolve) => {
    // Whoever is gone reads nothing: this process ends then.
    if (process.send?.(reply, () => resolve()) === undefined) resolve();
  });
}

async function answer({ id, answer: kind, command }: GitRequest): Promise<Reply> {
  const { args, input, env } = command;
  const options = { ...(input === undefined ? {} : { input }), ...(env === undefined ? {} : { env }) };
  try {
    const git = boundTo(command);
    if (kind !== "stream") return { id, output: await git[kind](args, options) };
    await git.stream(args, (piece) => sent({ id, piece }), options);
    return { id, output: "" };
  } catch (e) {
    return { id, error: sentError(e) };
  }
}

async function run({ id, command }: ProgramRequest): Promise<Reply> {
  try {
    return { id, ended: await runProgram(command, (started) => void process.send?.({ id, started })) };
  } catch (e) {
    return { id, error: sentError(e) };
  }
}

process.on("message", (request: Request) => {
  void (request.answer === "program" ? run(request) : answer(request)).then((reply) => process.send?.(reply));
});
// Nobody is left to answer.
process.on("disconnect", () => process.exit());
