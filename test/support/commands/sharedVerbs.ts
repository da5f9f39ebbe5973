import { spawn, type ChildProcess } from "node:child_process";
import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { patience } from "../base/patience.ts";

const dist = resolve(import.meta.dirname, "../../../dist");
const program = resolve(import.meta.dirname, "verbServer.cjs");

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

type Kind = "reads" | "labels" | "imports" | "changes";

/** What a verb does; with one of the words of `changing` it changes the project. */
const shared: Readonly<Record<string, { readonly kind: Kind; readonly changing?: readonly string[] }>> = {
  check: { kind: "reads", changing: ["--fix"] },
  lineage: { kind: "reads", changing: ["note", "tag", "name", "accept"] },
  rollouts: { kind: "reads" },
  compare: { kind: "reads" },
  review: { kind: "reads", changing: ["approve", "reject", "revise"] },
  replay: { kind: "reads" },
  cases: { kind: "reads" },
  budget: { kind: "reads" },
  jobs: { kind: "reads", changing: ["--quarantine"] },
  diagnose: { kind: "labels" },
  gaps: { kind: "labels", changing: ["--write"] },
  backtest: { kind: "labels" },
  curriculum: { kind: "labels" },
  import: { kind: "imports" },
  propose: { kind: "changes" },
  revert: { kind: "changes" },
  label: { kind: "changes" },
  hint: { kind: "changes" },
  skills: { kind: "changes" },
  items: { kind: "changes" },
  export: { kind: "changes" },
  init: { kind: "changes" },
};

/** The kind of what the words ask for; undefined for what has a process to itself, as all that starts jobs or keeps keys has. */
function kindOf(words: readonly string[]): Kind | undefined {
  const verb = words.find((word) => !word.startsWith("-"));
  const found = verb === undefined ? undefined : shared[verb];
  return found?.changing?.some((word) => words.includes(word)) === true ? "changes" : found?.kind;
}

const pause = new Int32Array(new SharedArrayBuffer(4));

/** A process that is gone and for which nobody has waited yet: this one cannot, while it waits for an answer. */
function isDead(pid: number | undefined): boolean {
  try {
    return (
      readFileSync(`/proc/${String(pid)}/stat`, "utf8")
        .split(") ")
        .at(-1)
        ?.startsWith("Z") ?? false
    );
  } catch {
    // Gone, or a system without /proc: then only the timeout ends the wait.
    return process.platform === "linux";
  }
}

/** A process that runs one verb after another. */
class VerbServer {
  readonly environment: string;
  readonly #folder = mkdtempSync(join(tmpdir(), "evo-verbs-"));
  readonly #child: ChildProcess;
  readonly #ask: Socket;
  #last = 0;
  /** Whether it said that it takes no more verbs. */
  #isLast = false;
  readonly #read = { stdout: 0, stderr: 0 };

  /** With one stream, all that a verb writes is its stdout, in the order in which it was written. */
  constructor(env: NodeJS.ProcessEnv, { isOneStream = false } = {}) {
    this.environment = JSON.stringify(env);
    const names = ["stdout", isOneStream ? "stdout" : "stderr"] as const;
    const outputs = names.map((name) => openSync(join(this.#folder, name), "a"));
    this.#child = spawn(process.execPath, [program, dist, this.#folder], {
      env,
      stdio: ["ignore", ...outputs, "pipe"],
    });
    for (const output of outputs) closeSync(output);
    const ask = this.#child.stdio[3];
    if (!(ask instanceof Socket)) throw new Error("There is no pipe to it.");
    this.#ask = ask;
    // It ends with this process, and keeps it from ending no longer.
    this.#child.unref();
    ask.unref();
    ask.on("error", () => undefined);
    process.once("exit", () => rmSync(this.#folder, { recursive: true, force: true }));
  }

  run(cwd: string, words: readonly string[]): Ran {
    this.#last += 1;
    const file = (what: string): string => join(this.#folder, `${this.#last}.${what}`);
    writeFileSync(file("asked"), JSON.stringify({ cwd, words }));
    this.#ask.write("\n");
    const until = performance.now() + 240_000 * patience;
    const isOver = (): boolean => statSync(file("ended"), { throwIfNoEntry: false }) !== undefined;
    for (let looks = 1; !isOver(); looks++) {
      Atomics.wait(pause, 0, 0, 3);
      if (performance.now() < until && (looks % 100 !== 0 || !isDead(this.#child.pid))) continue;
      if (isOver()) break;
      this.end();
      return { code: null, ...this.#said() };
    }
    const [code, isLast] = readFileSync(file("ended"), "utf8").split(" ");
    this.#isLast = isLast === "last";
    return { code: Number(code), ...this.#said() };
  }

  /** What was written since the last time. */
  #said(): { stdout: string; stderr: string } {
    const since = (name: "stdout" | "stderr"): string => {
      if (!existsSync(join(this.#folder, name))) return "";
      const all = readFileSync(join(this.#folder, name));
      const text = all.subarray(this.#read[name]).toString("utf8");
      this.#read[name] = all.length;
      return text;
    };
    return { stdout: since("stdout"), stderr: since("stderr") };
  }

  get isGone(): boolean {
    return (
      this.#isLast ||
      this.#child.exitCode !== null ||
      this.#child.signalCode !== null ||
      isDead(this.#child.pid)
    );
  }

  end(): void {
    this.#child.kill("SIGKILL");
  }

  remove(): void {
    this.end();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

const servers = new Map<string, VerbServer>();
let changes = 0;

/**
 * For tests: runs a verb in a process that has run others of its kind, so that most of what a start takes is spent once. What
 * imports, what labels and what only reads have a process each, and two take turns in what changes a project: what a verb finds
 * was written down by another process. Undefined for a verb that has a process to itself.
 */
export function sharedVerb(cwd: string, words: readonly string[]): Ran | undefined {
  const kind = kindOf(words);
  if (kind === undefined) return undefined;
  const name = kind === "changes" ? `${kind}${String((changes += 1) % 2)}` : kind;
  let server = servers.get(name);
  if (server?.environment !== JSON.stringify(process.env) || server.isGone) {
    server?.end();
    server = new VerbServer(process.env);
    servers.set(name, server);
  }
  return server.run(cwd, words);
}

/**
 * For tests: one process for the verbs of one reader, who has one terminal: both streams are its stdout. Undefined for a verb
 * that has a process to itself.
 */
export class ReaderVerbs {
  readonly #env: NodeJS.ProcessEnv;
  #server: VerbServer | undefined;

  constructor(env: NodeJS.ProcessEnv) {
    this.#env = env;
  }

  run(cwd: string, words: readonly string[]): Ran | undefined {
    if (kindOf(words) === undefined) return undefined;
    if (this.#server?.isGone !== false) {
      this.end();
      this.#server = new VerbServer(this.#env, { isOneStream: true });
    }
    return this.#server.run(cwd, words);
  }

  end(): void {
    this.#server?.remove();
    this.#server = undefined;
  }
}
