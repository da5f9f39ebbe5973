import * as vscode from "vscode";
import type { EditorService } from "../../../shared/protocol/editorServices.ts";
import type { EvidenceReveal } from "../../../shared/protocol/views/evidence.ts";
import {
  FromServiceView,
  serviceViewProtocol,
  type ToServiceView,
} from "../../../shared/protocol/views/serviceView.ts";
import { folderOf, panelOf } from "../../../shared/words/serviceViews.ts";
import { askEngine } from "../connection/engineAnswer.ts";
import { pageAnswer } from "../connection/pageAnswer.ts";
import type { Server } from "../connection/languageClient.ts";
import { SinglePanel } from "./singlePanel.ts";

export type ServiceViewDependencies = {
  readonly extensionUri: vscode.Uri;
  readonly server: Server;
  readonly log: vscode.LogOutputChannel;
  readonly showEvidence: (query: EvidenceReveal, root: string | undefined) => unknown;
};

/** The panel of a view that asks one service. It holds nothing but the way to the engine; closed or torn down, it asks again. */
export class ServiceViewPanel implements vscode.Disposable {
  readonly #deps: ServiceViewDependencies;
  readonly #service: EditorService;
  readonly #name: string;
  readonly #panel: SinglePanel<ToServiceView, typeof FromServiceView>;
  readonly #subscription: vscode.Disposable;
  /** The question on its way: a later one takes its place. */
  #asking: vscode.CancellationTokenSource | undefined;
  #root: string | undefined;

  constructor(name: string, service: EditorService, deps: ServiceViewDependencies) {
    this.#deps = deps;
    this.#service = service;
    this.#name = name;
    this.#panel = new SinglePanel({
      extensionUri: deps.extensionUri,
      log: deps.log,
      type: panelOf(name),
      view: folderOf(name),
      title: name,
      messages: () => FromServiceView,
      receive: (message) => this.#receive(message),
      closed: () => this.#asking?.cancel(),
    });
    this.#subscription = deps.server.onChange(() => this.#post({ type: "changed" }));
  }

  show(): void {
    this.#panel.show();
  }

  #receive(message: FromServiceView): unknown {
    switch (message.type) {
      case "ready":
        return undefined;
      case "ask":
        return this.#answer(message.id, message.params);
      case "evidence":
        return this.#deps.showEvidence(message.query, this.#root);
    }
  }

  async #answer(id: number, params: Readonly<Record<string, unknown>>): Promise<void> {
    this.#asking?.cancel();
    const source = new vscode.CancellationTokenSource();
    this.#asking = source;
    try {
      // The engine parses the parameters, whoever sends them.
      const { server, log } = this.#deps;
      const question = { service: this.#service, params };
      const answer = await pageAnswer(log, this.#name, () => askEngine(server, question, source.token));
      if (source.token.isCancellationRequested) return;
      if (answer.type === "answer") {
        this.#root = answer.root;
        this.#post({ type: "answer", id, value: answer.value });
      } else this.#post({ type: "refused", id, message: `${answer.cause} ${answer.advice}`.trim() });
    } finally {
      if (this.#asking === source) this.#asking = undefined;
      source.dispose();
    }
  }

  #post(message: Unsent<ToServiceView>): void {
    this.#panel.post({ protocol: serviceViewProtocol, ...message });
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#asking?.cancel();
    this.#panel.dispose();
  }
}

/** A message without its envelope. */
type Unsent<T> = T extends unknown ? Omit<T, "protocol"> : never;
