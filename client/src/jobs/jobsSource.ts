import * as vscode from "vscode";
import type { EvolutionStatus } from "../../../shared/protocol/views/evolution.ts";
import type { JobRow, MachineSpending } from "../../../shared/protocol/views/job.ts";
import type { Server } from "../connection/languageClient.ts";
import { isActive } from "./jobRows.ts";

/** Why there are no jobs to show. The side bar has a welcome text for each of them. */
export const emptyJobs = ["noFolder", "noProject", "none", "untrusted", "stopped", "unreadable"] as const;
export type EmptyJobs = (typeof emptyJobs)[number];

export type JobsState =
  | { readonly type: "loading" }
  | {
      readonly type: "empty";
      readonly reason: EmptyJobs;
      readonly evolution?: EvolutionStatus;
      readonly root?: string;
    }
  | {
      readonly type: "jobs";
      readonly root: string;
      readonly jobs: readonly JobRow[];
      readonly total: number;
      readonly spending: readonly MachineSpending[];
      readonly evolution: EvolutionStatus;
    };

/** While nothing runs, a change of the engine's files is told; this is for what is not. */
const idleMs = 30_000;

/** The one holder of jobs and evolution: tree, status bar, notifications and panels show what it has. */
export class JobsSource implements vscode.Disposable {
  readonly #server: Server;
  readonly #log: vscode.LogOutputChannel;
  readonly #changed = new vscode.EventEmitter<JobsState>();
  readonly #subscriptions: vscode.Disposable[];
  readonly onDidChange = this.#changed.event;
  #state: JobsState = { type: "loading" };
  #asking: Promise<void> | undefined;
  #again = false;
  #timer: NodeJS.Timeout | undefined;
  #disposed = false;

  constructor(server: Server, log: vscode.LogOutputChannel) {
    this.#server = server;
    this.#log = log;
    const files = vscode.workspace.createFileSystemWatcher("**/.evotrainer/{evolution,loop}.json");
    const refresh = (): void => void this.refresh();
    this.#subscriptions = [
      files,
      files.onDidChange(refresh),
      files.onDidCreate(refresh),
      server.onChange(refresh),
      vscode.workspace.onDidGrantWorkspaceTrust(refresh),
    ];
  }

  get state(): JobsState {
    return this.#state;
  }

  /** Asks again; while a question is on its way, once more after it. */
  refresh(): Promise<void> {
    if (this.#asking !== undefined) {
      this.#again = true;
      return this.#asking;
    }
    clearTimeout(this.#timer);
    this.#asking = this.#read().finally(() => {
      this.#asking = undefined;
      if (this.#disposed) return;
      if (this.#again) {
        this.#again = false;
        void this.refresh();
      } else this.#timer = setTimeout(() => void this.refresh(), this.#pauseMs());
    });
    return this.#asking;
  }

  #pauseMs(): number {
    const { state } = this;
    const runs = state.type === "jobs" && (state.evolution.state === "running" || state.jobs.some(isActive));
    if (!runs) return idleMs;
    const seconds = vscode.workspace.getConfiguration("evotrainer").get("jobs.refreshSeconds", 2);
    return Math.min(60, Math.max(1, seconds)) * 1000;
  }

  async #read(): Promise<void> {
    const state = await this.#ask();
    if (this.#disposed) return;
    this.#state = state;
    const evolution = state.type === "loading" ? undefined : state.evolution;
    await Promise.all([
      setContext("evotrainer.jobs.empty", state.type === "empty" ? state.reason : ""),
      setContext("evotrainer.evolution", evolution?.state ?? ""),
    ]);
    this.#changed.fire(state);
  }

  async #ask(): Promise<JobsState> {
    if (this.#server.state() === "starting") return { type: "loading" };
    if (this.#server.state() === "stopped") return { type: "empty", reason: "stopped" };
    try {
      const [status, list] = await Promise.all([
        this.#server.engine({ service: "evolution.status", params: {} }),
        this.#server.engine({ service: "jobs.list", params: {} }),
      ]);
      if (status.type === "answer" && list.type === "answer") {
        const evolution = status.result;
        const { jobs, total, spending } = list.result;
        return jobs.length === 0 && evolution.state !== "running"
          ? { type: "empty", reason: "none", evolution, root: list.root }
          : { type: "jobs", root: list.root, jobs, total, spending, evolution };
      }
      const none = status.type === "answer" ? list : status;
      if (none.type === "noFolder" || none.type === "noProject" || none.type === "untrusted")
        return { type: "empty", reason: none.type };
      this.#log.warn("[jobs] could not be read", none.type === "refused" ? none.message : none.type);
      return { type: "empty", reason: "unreadable" };
    } catch (e) {
      this.#log.error("[jobs] could not be read", e instanceof Error ? (e.stack ?? e.message) : String(e));
      return { type: "empty", reason: this.#server.state() === "running" ? "unreadable" : "stopped" };
    }
  }

  dispose(): void {
    this.#disposed = true;
    clearTimeout(this.#timer);
    for (const subscription of this.#subscriptions) subscription.dispose();
    this.#changed.dispose();
  }
}

const setContext = (key: string, value: unknown): Thenable<unknown> =>
  vscode.commands.executeCommand("setContext", key, value);
