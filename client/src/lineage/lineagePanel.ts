import type * as vscode from "vscode";
import {
  FromLineagePanel,
  lineageProtocol,
  type LineageAction,
  type ToLineagePanel,
} from "../../../shared/protocol/views/lineage.ts";
import type { NoteKind } from "../../../shared/model/noteKinds.ts";
import { SinglePanel } from "../page/singlePanel.ts";
import type { LineageSource } from "./lineageSource.ts";

type Dependencies = {
  readonly extensionUri: vscode.Uri;
  readonly source: LineageSource;
  readonly log: vscode.LogOutputChannel;
  readonly act: (action: LineageAction) => unknown;
  readonly selected: (name: string) => unknown;
  readonly compare: (names: readonly string[]) => unknown;
  readonly showEvidence: (name: string, label: string | null) => unknown;
  readonly note: (version: string, what: NoteKind, value: string) => unknown;
};

/** The panel that draws the lineage: it is told the versions in pages, and after that what changes. */
export class LineagePanel implements vscode.Disposable {
  readonly #deps: Dependencies;
  readonly #panel: SinglePanel<ToLineagePanel, typeof FromLineagePanel>;
  readonly #subscriptions: readonly vscode.Disposable[];
  /** Shown as soon as the page is ready. */
  #toReveal: string | undefined;

  constructor(deps: Dependencies) {
    this.#deps = deps;
    const { source, extensionUri, log } = deps;
    this.#panel = new SinglePanel({
      extensionUri,
      log,
      type: "evotrainer.lineage",
      view: "lineage",
      title: "Lineage",
      messages: () => FromLineagePanel,
      receive: (message) => this.#receive(message),
    });
    this.#subscriptions = [
      source.onPage((page) => this.#panel.post({ protocol: lineageProtocol, type: "page", page })),
      source.onDidChange((state) => {
        if (state.type !== "lineage") this.#panel.post({ protocol: lineageProtocol, type: "absent", state });
      }),
    ];
  }

  /** Opens the panel or brings it to the front, at one version if a name is given. */
  show(name?: string): void {
    if (!this.#panel.visible) this.#toReveal = name;
    else if (name !== undefined) this.#panel.post({ protocol: lineageProtocol, type: "reveal", name });
    this.#panel.show();
  }

  #receive(message: FromLineagePanel): unknown {
    const { act, selected, compare, showEvidence, note } = this.#deps;
    switch (message.type) {
      case "ready":
        this.#tellAll();
        return undefined;
      case "select":
        return selected(message.name);
      case "compare":
        return compare(message.names);
      case "evidence":
        return showEvidence(message.name, message.label);
      case "note":
        return note(message.name, message.what, message.value);
      case "action":
        return act(message.action);
    }
  }

  #tellAll(): void {
    const { source } = this.#deps;
    if (source.state.type === "lineage")
      for (const page of source.pages) this.#panel.post({ protocol: lineageProtocol, type: "page", page });
    else this.#panel.post({ protocol: lineageProtocol, type: "absent", state: source.state });
    const name = this.#toReveal;
    this.#toReveal = undefined;
    if (name !== undefined) this.#panel.post({ protocol: lineageProtocol, type: "reveal", name });
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
    this.#panel.dispose();
  }
}
