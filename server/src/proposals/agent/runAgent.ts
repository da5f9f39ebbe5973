import { execFile, spawn, type ChildProcess } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { messageOf } from "../../base/errors.ts";
import { shellWord } from "../../base/shellWord.ts";
import { confinedCommand } from "../../runner/confine/confinedCommand.ts";
import type { Confine } from "../../runner/confine/step.ts";
import { baseEnvironment } from "../../runner/job/jobSpec.ts";

export interface AgentRun {
  readonly command: readonly string[];
  readonly cwd: string;
  /** Added to a minimal environment. */
  readonly environment: Readonly<Record<string, string>>;
  readonly seconds: number;
  readonly processes: number;
  readonly outputBytes: number;
  /** Undefined where it runs as any program of the user. */
  readonly confine: Confine | undefined;
  /** A folder that the run alone uses; it is removed. */
  readonly scratch: string;
  /** A word by which all of its processes are found. */
  readonly mark: string;
  readonly signal: AbortSignal;
}

export interface AgentEnd {
  /** Null where it was killed. */
  readonly code: number | null;
  /** What it had too much of; null where it ended by itself. */
  readonly stopped: "time" | "processes" | "output" | "cancelled" | null;
  /** The last of what it printed. */
  readonly output: string;
  /** Why it could not be started. */
  readonly failure: string | null;
}

const pollMilliseconds = 200;
const keptCharacters = 16_384;
const markName = "EVO_PROPOSER_RUN";

/** Runs an agent and waits for its end, within limits. Whatever it leaves running is killed. Linux and macOS. */
export async function runAgent(run: AgentRun): Promise<AgentEnd> {
  const env = { ...baseEnvironment(), ...run.environment, [markName]: run.mark };
  const [program, ...words] = argumentsOf(run);
  const child = spawn(program ?? "", words, {
    ...{ cwd: run.cwd, env },
    detached: true,
    stdio: ["pipe", "pipe", "pipe"],
  });
  // Nothing is written to it.
  child.stdin.on("error", () => undefined);
  let stopped: AgentEnd["stopped"] = null;
  let [output, bytes] = ["", 0];
  const stop = (why: NonNullable<AgentEnd["stopped"]>): void => {
    stopped ??= why;
    kill(child, run.mark);
  };
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      bytes += Buffer.byteLength(text);
      output = (output + text).slice(-keptCharacters);
      if (bytes > run.outputBytes) stop("output");
    });
  const timer = setTimeout(() => stop("time"), run.seconds * 1000);
  const most = run.processes + (run.confine === undefined ? helpers.plain : helpers.confined);
  const poll = setInterval(() => {
    if (marked(run.mark).length > most) stop("processes");
  }, pollMilliseconds);
  const cancel = (): void => stop("cancelled");
  run.signal.addEventListener("abort", cancel, { once: true });
  if (run.signal.aborted) cancel();
  try {
    const ended = await endOf(child);
    return { ...ended, stopped, output };
  } finally {
    clearTimeout(timer);
    clearInterval(poll);
    run.signal.removeEventListener("abort", cancel);
    await killAll(child, run.mark);
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
    await removeScratch(run.scratch);
  }
}

/** Its own end: what it started may hold its output open for ever. */
function endOf(child: ChildProcess): Promise<Pick<AgentEnd, "code" | "failure">> {
  return new Promise((resolve) => {
    child.once("error", (e) => resolve({ code: null, failure: messageOf(e) }));
    child.once("exit", (code) => resolve({ code, failure: null }));
  });
}

/**
 * A process beside the agent waits until we are gone, however we end, and then ends the agent: nobody else would hold it to
 * its limits. It notices by the pipe that only we hold open.
 */
const watched = `exec 3<&0 </dev/null
(cat <&3; kill -KILL -$$) >/dev/null 2>&1 &
exec 3<&-
`;
/** Processes of ours that carry the mark of the agent as well. */
const helpers = { plain: 2, confined: 6 } as const;

function argumentsOf({ command, confine, scratch }: AgentRun): readonly string[] {
  if (confine === undefined) return ["/bin/sh", "-c", `${watched}exec "$@"\n`, "evotrainer", ...command];
  const words = command.map(shellWord).join(" ");
  const script = confinedCommand(confine, { scratch: shellWord(scratch), command: words });
  return ["/bin/sh", "-c", `${watched}evo_home=\${HOME-}\n${script}`];
}

function kill({ pid }: ChildProcess, mark: string): void {
  for (const target of [...(pid === undefined ? [] : [-pid]), ...marked(mark)])
    try {
      process.kill(target, "SIGKILL");
    } catch {
      // It has ended meanwhile.
    }
}

const mostRounds = 50;

/** Until none is left: one that is killed may just have started another. */
async function killAll(child: ChildProcess, mark: string): Promise<void> {
  for (let round = 0; round < mostRounds; round++) {
    kill(child, mark);
    if (marked(mark).length === 0) return;
    await delay(20);
  }
}

/** The processes of a run, also those that have left its group; none where the system does not tell. */
function marked(mark: string): number[] {
  const wanted = `${markName}=${mark}`;
  let all: string[];
  try {
    all = readdirSync("/proc");
  } catch {
    return [];
  }
  return all.flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      return readFileSync(`/proc/${name}/environ`, "utf8").split("\0").includes(wanted) ? [Number(name)] : [];
    } catch {
      return [];
    }
  });
}

async function removeScratch(folder: string): Promise<void> {
  // The kernel makes a folder in it that nobody may open.
  await new Promise((resolve) => execFile("chmod", ["-R", "u+rwx", folder], resolve));
  await rm(folder, { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined);
}
