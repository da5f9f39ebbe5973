import { spawn, type ChildProcess } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { until } from "../runner/jobs.ts";
import type { SoakJob } from "./jobs.ts";
import { News, type EngineOptions, type Ending, type Order } from "./engine.ts";
import { programArguments } from "../base/program.ts";

/** A machine with an engine: the engine may be killed, but its files stay. */
export class SoakEngine {
  readonly runs: string;
  readonly endings = new Map<string, Ending>();
  /** Reports that no engine should ever make. */
  readonly wrong: string[] = [];
  /** When the test last heard of a job, in milliseconds of performance.now(). */
  heardAt = 0;
  readonly #options: EngineOptions;
  /** Complaints of engines that they recovered from, and how often each came. */
  readonly said = new Map<string, number>();
  readonly #open = new Map<string, Order>();
  #child: ChildProcess | undefined;

  constructor(options: EngineOptions) {
    this.#options = options;
    this.runs = options.runs;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Starts the engine, which continues all jobs that it was told to run. */
  async start(): Promise<void> {
    const program = join(import.meta.dirname, "engine.ts");
    const child = spawn(process.execPath, [...programArguments(program), JSON.stringify(this.#options)], {
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    this.#child = child;
    let isReady = false;
    child.on("message", (message) => {
      const news = News.parse(message);
      if (news.kind === "ready") isReady = true;
      // An engine that got the order to run a job twice may still wait for it when the job's folders are gone.
      else if (!this.#open.has(news.id)) return;
      else if (news.kind === "seen") this.heardAt = performance.now();
      else if (news.kind === "said") {
        const text = news.message.replaceAll(/[0-9a-f]{7,}|\d+/g, "…").slice(0, 200);
        this.said.set(text, (this.said.get(text) ?? 0) + 1);
      } else if (news.kind === "failed") this.wrong.push(`${news.id}: ${news.message}`);
      else this.#ended(news.id, news.ending);
    });
    await until("the engine is there", () => isReady || child.exitCode !== null, 120);
    for (const order of this.#open.values()) this.tell(order);
  }

  /** A version needs the commit and policy it is trained from; when the order is repeated, they may be left out. */
  run({ spec, isVersion }: SoakJob, from?: { commit: string; policyIn: string }): void {
    const known = this.#open.get(spec.id);
    const order: Order =
      known ??
      (isVersion && from !== undefined
        ? { kind: "version", job: spec, ...from }
        : { kind: "run", job: spec });
    this.#open.set(spec.id, order);
    this.tell(order);
  }

  /** Whether the engine got the order to run a job. */
  hasTo(id: string): boolean {
    return this.#open.has(id);
  }

  tell(order: Order): void {
    if (this.#child?.connected === true) this.#child.send(order);
  }

  forget(id: string): void {
    this.#open.delete(id);
    this.endings.delete(id);
  }

  kill(): void {
    this.#child?.removeAllListeners("message");
    this.#child?.kill("SIGKILL");
    this.#child = undefined;
  }

  #ended(id: string, ending: Ending): void {
    const known = this.endings.get(id);
    if (known !== undefined && !isDeepStrictEqual(known, ending))
      this.wrong.push(`${id}: ended as ${JSON.stringify(known)} and as ${JSON.stringify(ending)}`);
    this.endings.set(id, ending);
  }
}

/** The ssh clients that belong to none of the engines. */
export function strayClients(root: string, engines: readonly SoakEngine[]): string[] {
  const own = new Set(engines.map(({ pid }) => pid));
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const command = readFileSync(`/proc/${name}/cmdline`, "utf8").replaceAll("\0", " ");
      const parent = Number(/\) \S (\d+)/.exec(readFileSync(`/proc/${name}/stat`, "utf8"))?.[1]);
      return command.startsWith("ssh ") && command.includes(`${root}/ssh_config`) && !own.has(parent)
        ? [`${name} ${command.slice(0, 80)} of ${parent}`]
        : [];
    } catch {
      return [];
    }
  });
}
