import type * as vscode from "vscode";
import {
  FromRunsView,
  runsProtocol,
  type AlarmRecord,
  type RunsState,
  type ToRunsView,
} from "../../../shared/protocol/views/runs.ts";
import { askEngine } from "../connection/engineAnswer.ts";
import { pageAnswer } from "../connection/pageAnswer.ts";
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
  /** How often each alarm of a project was false; asked for once an alarm has fired, since it reads every archived run. */
  #records: { readonly root: string; readonly of: readonly AlarmRecord[] } | undefined;

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
      // A page that is opened later has chosen none.
      closed: () => (this.#jobs = []),
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
    const question = { service: "jobs.curves", params } as const;
    const answer = await pageAnswer(this.#deps.log, "Curves", () => askEngine(this.#deps.server, question));
    if (asked !== this.#asked) return;
    let state: RunsState;
    if (answer.type === "none") state = { type: "none", cause: answer.cause, advice: answer.advice };
    else {
      this.#root = answer.root;
      const records = this.#records?.root === answer.root ? this.#records.of : undefined;
      state = { type: "runs", shown: answer.value, ...(records && { records: [...records] }) };
    }
    this.#panel.post({ protocol: runsProtocol, type: "state", state });
    if (state.type === "runs" && state.shown.runs.some(({ alarms }) => alarms.length > 0))
      await this.#askRecords(this.#root);
  }

  async #askRecords(root: string): Promise<void> {
    if (this.#records?.root === root) return;
    const mine = { root, of: [] };
    this.#records = mine;
    const question = { root, service: "versions.tripwires", params: {} } as const;
    const found = await pageAnswer(this.#deps.log, "Curves", () => askEngine(this.#deps.server, question));
    if (this.#records !== mine) return;
    // Without an archive nothing is known of them, and the marks stand without a rate until it can be asked.
    if (found.type === "none") {
      this.#records = undefined;
      return;
    }
    const of = found.value.alarms.map(({ name, healthy, falseAlarms }) => ({ name, healthy, falseAlarms }));
    this.#records = { root, of };
    await this.#tell();
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#panel.dispose();
  }
}
