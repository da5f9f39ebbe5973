import * as vscode from "vscode";
import {
  FromJobView,
  jobProtocol,
  JobUiState,
  type JobViewModel,
  type ToJobView,
} from "../../../shared/protocol/views/job.ts";
import { guarded } from "../shell/commands.ts";
import { askEngine } from "../connection/engineAnswer.ts";
import { pageAnswer } from "../connection/pageAnswer.ts";
import type { Server } from "../connection/languageClient.ts";
import { pageKey, type InProject } from "../page/inProject.ts";
import { posterOf } from "../page/posterOf.ts";
import { receiveMessages } from "../page/receiveMessages.ts";
import { panelIcon, showPage } from "../page/webviewPage.ts";
import type { ProjectChoice } from "../project/projectChoice.ts";
import type { JobsSource } from "./jobsSource.ts";

export const jobPanelType = "evotrainer.job";

export type JobKey = InProject;
type Action = Extract<FromJobView, { type: "action" }>["action"];

type Dependencies = {
  readonly extensionUri: vscode.Uri;
  readonly server: Server;
  readonly project: Pick<ProjectChoice, "titled" | "onDidChange">;
  readonly source: JobsSource;
  readonly log: vscode.LogOutputChannel;
  readonly act: (action: Exclude<Action, "refresh">, job: JobKey & { readonly version: string }) => unknown;
};

type Shown = {
  readonly key: JobKey;
  readonly panel: vscode.WebviewPanel;
  readonly post: (message: ToJobView) => void;
  version: string;
  /** Questions so far; an answer that a later one has overtaken is dropped. */
  asked: number;
};

/** The panels of jobs, one each. A page keeps which job it shows; everything else is asked for again. */
export class JobPanels implements vscode.WebviewPanelSerializer, vscode.Disposable {
  readonly #deps: Dependencies;
  readonly #subscription: vscode.Disposable;
  readonly #panels = new Map<string, Shown>();

  constructor(deps: Dependencies) {
    this.#deps = deps;
    this.#subscription = vscode.Disposable.from(
      deps.source.onDidChange(() => {
        // A hidden page costs nothing: it is told when it is seen again.
        for (const shown of this.#panels.values()) this.#tellSeen(shown);
      }),
      deps.project.onDidChange(() => {
        for (const { panel, key } of this.#panels.values()) panel.title = this.#titleOf(key);
      }),
    );
  }

  show(key: JobKey): void {
    const known = this.#panels.get(pageKey(key));
    if (known) {
      known.panel.reveal();
      return;
    }
    this.#adopt(
      vscode.window.createWebviewPanel(jobPanelType, this.#titleOf(key), vscode.ViewColumn.Active, {
        enableFindWidget: true,
      }),
      key,
    );
  }

  deserializeWebviewPanel(panel: vscode.WebviewPanel, kept: unknown): Promise<void> {
    const state = JobUiState.safeParse(kept).data;
    if (state === undefined) panel.dispose();
    else this.#adopt(panel, { root: state.root, id: state.job });
    return Promise.resolve();
  }

  #titleOf({ root, id }: JobKey): string {
    return this.#deps.project.titled(id, root);
  }

  #adopt(panel: vscode.WebviewPanel, key: JobKey): void {
    const { extensionUri, log } = this.#deps;
    const shown: Shown = { key, panel, post: posterOf(panel), version: key.id, asked: 0 };
    this.#panels.get(pageKey(key))?.panel.dispose();
    this.#panels.set(pageKey(key), shown);
    panel.title = this.#titleOf(key);
    panel.iconPath = panelIcon(extensionUri);
    receiveMessages(panel.webview, {
      log,
      view: "job",
      title: "Job view",
      messages: () => FromJobView,
      receive: (message) => this.#receive(shown, message),
    });
    panel.onDidChangeViewState(() => this.#tellSeen(shown));
    panel.onDidDispose(() => {
      if (this.#panels.get(pageKey(key)) === shown) this.#panels.delete(pageKey(key));
    });
    showPage(panel.webview, extensionUri, "job", key.id);
  }

  #tellSeen(shown: Shown): void {
    if (shown.panel.visible) void guarded(this.#deps.log, "Job view", () => this.#tell(shown));
  }

  #receive(shown: Shown, message: FromJobView): unknown {
    if (message.type === "ready" || message.action === "refresh") return this.#tell(shown);
    return this.#deps.act(message.action, { ...shown.key, version: shown.version });
  }

  async #tell(shown: Shown): Promise<void> {
    const { root, id } = shown.key;
    const asked = ++shown.asked;
    const question = { root, service: "jobs.show", params: { job: id } } as const;
    const answer = await pageAnswer(this.#deps.log, "Job view", () => askEngine(this.#deps.server, question));
    if (asked !== shown.asked) return;
    let state: JobViewModel;
    if (answer.type === "none") state = { type: "none", cause: answer.cause, advice: answer.advice };
    else {
      state = { type: "job", detail: answer.value };
      shown.version = answer.value.job.version;
    }
    shown.post({ protocol: jobProtocol, type: "state", root, state });
  }

  dispose(): void {
    this.#subscription.dispose();
    for (const { panel } of this.#panels.values()) panel.dispose();
  }
}
