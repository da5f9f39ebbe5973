import * as vscode from "vscode";
import type { LineageState } from "../../../shared/protocol/lineage.ts";
import type { Server } from "../languageClient.ts";
import { emptyState, stateOf } from "./lineageState.ts";

/** The one holder of the lineage: the side bar, the status bar and the panel all show what it has. */
export class LineageSource implements vscode.Disposable {
  readonly #server: Server;
  readonly #log: vscode.LogOutputChannel;
  readonly #changed = new vscode.EventEmitter<LineageState>();
  readonly #subscription: vscode.Disposable;
  readonly onDidChange = this.#changed.event;
  #state: LineageState = { type: "loading" };
  #revision = 0;

  constructor(server: Server, log: vscode.LogOutputChannel) {
    this.#server = server;
    this.#log = log;
    this.#subscription = server.onChange(() => void this.refresh());
  }

  get state(): LineageState {
    return this.#state;
  }

  /** Asks again. An answer that a later question has overtaken is dropped. */
  async refresh(): Promise<void> {
    const revision = ++this.#revision;
    const state = await this.#ask();
    if (revision !== this.#revision) return;
    this.#state = state;
    const empty = state.type === "empty" ? state.reason : "";
    await vscode.commands.executeCommand("setContext", "evotrainer.empty", empty);
    this.#changed.fire(state);
  }

  async #ask(): Promise<LineageState> {
    if (this.#server.state() === "starting") return { type: "loading" };
    if (this.#server.state() === "stopped") return emptyState("stopped");
    try {
      return stateOf(await this.#server.lineage());
    } catch (e) {
      // The server went down while it was asked, or answered what no server of this version answers.
      this.#log.error("[lineage] could not be read", e instanceof Error ? (e.stack ?? e.message) : String(e));
      return emptyState(this.#server.state() === "running" ? "unreadable" : "stopped");
    }
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#changed.dispose();
  }
}
