import type * as vscode from "vscode";
import {
  FromRunsView,
  runsProtocol,
  type AlarmRecord,
  type RunsState,
  type ToRunsView,
} from "../../../shared/protocol/views/runs.ts";
import { askEngine } from "../connection/engineAnswer.ts";
import type { Server } from "../connection/languageClient.ts";
import { SinglePanel } from "../page/singlePanel.ts";
import { guarded } from "../shell/commands.ts";
import type { JobsSource } from "./jobsSource.ts";

type Dependencies = {
  readonly extensionUri: vscode.Uri;
  readonly server: Server;
  readonly source: JobsSource;
  readonly log: vscode.LogOutputChannel;
  readonly open: (key: { readonly root: string; readonly id: string }) => unknown;
  readonly cancel: (key: { readonly root: string; readonly id: string }) => unknown;
};

/** The panel that draws the curves of several jobs; it asks again whenever the jobs have moved. */
export class RunsPanel implements vscode.Disposable {
  readonly #deps: Dependencies;
  readonly #panel: SinglePanel<ToRunsView, typeof FromRunsView>;
  readonly #subscription: vscode.Disposable;
  /** Jobs that a person wants to see besides those that run. */
  #jobs: readonly string[] = [];
  #root = "";
  #asked = 0;
  /** How often each alarm was false; asked for once an alarm has fired, since it reads every archived run. */
  #records: readonly AlarmRecord[] | undefined;

  constructor(deps: Dependencies) {
    this.#deps = deps;
    this.#panel = new SinglePanel({
      extensionUri: deps.extensionUri,
      log: deps.log,
      type: "evotrainer.runs",
      view: "runs",
      title: "Curves",
      messages: () => FromRunsView,
      receive: (message) => this.#receive(message),
    });
    this.#subscription = deps.source.onDidChange(() => {
      if (this.#panel.visible) void guarded(deps.log, "Curves panel", () => this.#tell());
    });
  }

  show(): void {
    this.#records = undefined;
    this.#panel.show();
  }

  #receive(message: FromRunsView): unknown {
    switch (message.type) {
      case "ready":
        return this.#tell();
      case "ask":
        this.#jobs = message.jobs;
        return this.#tell();
      case "open":
        return this.#deps.open({ root: this.#root, id: message.job });
      case "cancel":
        return this.#deps.cancel({ root: this.#root, id: message.job });
    }
  }

  async #tell(): Promise<void> {
    const asked = ++this.#asked;
    const params = { jobs: [...this.#jobs] };
    const answer = await askEngine(this.#deps.server, { service: "jobs.curves", params });
    if (asked !== this.#asked) return;
    let state: RunsState;
    if (answer.type === "none") state = { type: "none", cause: answer.cause, advice: answer.advice };
    else {
      this.#root = answer.root;
      state = { type: "runs", shown: answer.value, ...(this.#records && { records: [...this.#records] }) };
    }
    this.#panel.post({ protocol: runsProtocol, type: "state", state });
    if (state.type === "runs" && state.shown.runs.some(({ alarms }) => alarms.length > 0))
      await this.#askRecords();
  }

  async #askRecords(): Promise<void> {
    if (this.#records !== undefined) return;
    this.#records = [];
    const found = await askEngine(this.#deps.server, { service: "versions.tripwires", params: {} });
    // Without an archive nothing is known of them, and the marks stand without a rate.
    if (found.type === "none") return;
    this.#records = found.value.alarms.map(({ name, healthy, falseAlarms }) => ({
      name,
      healthy,
      falseAlarms,
    }));
    await this.#tell();
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#panel.dispose();
  }
}
