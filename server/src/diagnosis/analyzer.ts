import { spawn, type ChildProcessByStdio } from "node:child_process";
import { createInterface } from "node:readline";
import { Readable, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { z } from "zod";
import type { Rollout } from "../../../shared/model/rollout.ts";
import { codeOf, HarnessError, messageOf } from "../base/errors.ts";
import { jsonOf } from "../base/jsonLines.ts";

/** A program that reads rollouts as JSON lines and writes a verdict for each, for what CEL cannot say. */
export interface Analyzer {
  /** Program and arguments; no shell. */
  readonly command: readonly [string, ...string[]];
  readonly cwd: string;
  readonly timeoutSeconds: number;
  readonly maxOutputBytes: number;
  readonly signal?: AbortSignal;
}

/** One line of its output. */
export const Verdict = z.strictObject({
  run: z.string(),
  id: z.string(),
  label: z.boolean().nullable().describe("null if the program cannot tell."),
  turns: z.array(z.int().nonnegative()).default([]).describe("Indices of the turns that show it."),
});
export type Verdict = z.infer<typeof Verdict>;

/** What the program sees of the machine: nothing that a shell profile exported, keys for instance. */
const environmentKeys = ["PATH", "HOME", "LANG", "TMPDIR", "SystemRoot"] as const;
const keptErrors = 4096;

/**
 * Runs an analyzer over rollouts and gives its verdicts; a rollout that it does not answer has none. It runs as the user,
 * so the caller has to know that the workspace is trusted.
 * @throws HarnessError jobFailed when it cannot be started, fails, runs or writes too long, or answers something else;
 * cancelled
 */
export async function runAnalyzer(
  analyzer: Analyzer,
  rollouts: AsyncIterable<Partial<Rollout>>,
): Promise<Verdict[]> {
  const [program, ...args] = analyzer.command;
  const name = analyzer.command.join(" ");
  const child = spawn(program, args, {
    cwd: analyzer.cwd,
    stdio: ["pipe", "pipe", "pipe"],
    // A group of its own, so that what it started goes with it.
    detached: process.platform !== "win32",
    env: Object.fromEntries(
      environmentKeys.flatMap((key) => (process.env[key] === undefined ? [] : [[key, process.env[key]]])),
    ),
  });
  let stopped: HarnessError | undefined;
  const stop = (error: HarnessError): void => {
    stopped ??= error;
    kill(child);
  };
  const timer = setTimeout(() => {
    stop(
      failed(`${name} ran longer than ${analyzer.timeoutSeconds} s; give it more time or fewer rollouts.`),
    );
  }, analyzer.timeoutSeconds * 1000);
  const cancel = (): void => {
    stop(new HarnessError("cancelled", `${name} was cancelled.`));
  };
  analyzer.signal?.addEventListener("abort", cancel);
  const errors = tail(child.stderr);
  const ended = endOf(child, name);
  try {
    if (analyzer.signal?.aborted === true) cancel();
    const read = readVerdicts(child, analyzer.maxOutputBytes, name, stop);
    const fed = feed(child, rollouts);
    // The first to fail says why; the others are awaited so that nothing is left behind.
    const results = await Promise.allSettled([ended, read, fed]);
    if (stopped !== undefined) throw stopped;
    const [end, verdicts, input] = results;
    if (end.status === "rejected") throw end.reason;
    if (end.value !== 0)
      throw failed(`${name} ended with ${String(end.value)}${errors() === "" ? "." : `: ${errors()}`}`);
    if (verdicts.status === "rejected") throw verdicts.reason;
    if (input.status === "rejected") throw input.reason;
    return verdicts.value;
  } finally {
    clearTimeout(timer);
    analyzer.signal?.removeEventListener("abort", cancel);
    kill(child);
  }
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

const failed = (message: string): HarnessError => new HarnessError("jobFailed", `The analyzer ${message}`);

function kill(child: Child): void {
  if (child.pid === undefined) return;
  try {
    if (process.platform === "win32") child.kill("SIGKILL");
    else process.kill(-child.pid, "SIGKILL");
  } catch (e) {
    if (codeOf(e) !== "ESRCH") throw e;
  }
}

/** The exit code, or the name of the signal that ended it. */
function endOf(child: Child, name: string): Promise<number | string> {
  return new Promise((resolve, reject) => {
    child.on("error", (e) => {
      reject(failed(`${name} cannot be started: ${messageOf(e)}`));
    });
    child.on("close", (code, signal) => {
      resolve(code ?? signal ?? "no exit code");
    });
  });
}

/** What a write to a program says that has closed its input: it has seen enough. */
const closedInput = new Set(["EPIPE", "ECONNRESET", "ERR_STREAM_PREMATURE_CLOSE", "ERR_STREAM_DESTROYED"]);

async function feed(child: Child, rollouts: AsyncIterable<Partial<Rollout>>): Promise<void> {
  try {
    await pipeline(Readable.from(lines(rollouts)), child.stdin);
  } catch (e) {
    if (!closedInput.has(codeOf(e) ?? "")) throw e;
  }
}

async function* lines(rollouts: AsyncIterable<Partial<Rollout>>): AsyncGenerator<string> {
  for await (const rollout of rollouts) yield `${JSON.stringify(rollout)}\n`;
}

async function readVerdicts(
  child: Child,
  maxBytes: number,
  name: string,
  stop: (error: HarnessError) => void,
): Promise<Verdict[]> {
  let bytes = 0;
  child.stdout.on("data", (data: Buffer) => {
    bytes += data.length;
    if (bytes > maxBytes) stop(failed(`${name} wrote more than ${maxBytes} bytes.`));
  });
  const verdicts = new Map<string, Verdict>();
  let number = 0;
  for await (const line of createInterface({ input: child.stdout, crlfDelay: Infinity })) {
    number++;
    if (line.trim() === "") continue;
    const verdict = Verdict.safeParse(jsonOf(line));
    if (!verdict.success) {
      const [issue] = verdict.error.issues;
      const at = issue === undefined || issue.path.length === 0 ? "" : `${issue.path.join(".")}: `;
      stop(
        failed(
          `${name} wrote something other than a verdict in line ${number}: ${at}${issue?.message ?? ""}`,
        ),
      );
      break;
    }
    const key = JSON.stringify([verdict.data.run, verdict.data.id]);
    if (verdicts.has(key)) {
      stop(
        failed(
          `${name} answers ${verdict.data.run}/${verdict.data.id} twice, the second time in line ${number}.`,
        ),
      );
      break;
    }
    verdicts.set(key, verdict.data);
  }
  return [...verdicts.values()];
}

/** The last of what a stream says. */
function tail(stream: Readable): () => string {
  let text = "";
  stream.setEncoding("utf8").on("data", (data: string) => (text = (text + data).slice(-keptErrors)));
  return () => text.trim();
}
