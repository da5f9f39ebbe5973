import * as vscode from "vscode";
import {
  FromLineagePanel,
  lineageProtocol,
  type LineageAction,
  type ToLineagePanel,
} from "../../../shared/protocol/lineage.ts";
import { guarded } from "../commands.ts";
import type { LineageSource } from "./lineageSource.ts";
import { panelIcon, showPage } from "../page/webviewPage.ts";

export const lineagePanelType = "evotrainer.lineage";

type Dependencies = {
  readonly extensionUri: vscode.Uri;
  readonly source: LineageSource;
  readonly log: vscode.LogOutputChannel;
  readonly act: (action: LineageAction) => unknown;
  readonly selected: (name: string) => unknown;
};

/** The panel that draws the lineage. It can be closed or torn down at any moment and fetches everything again. */
export class LineagePanel implements vscode.WebviewPanelSerializer, vscode.Disposable {
  readonly #deps: Dependencies;
  readonly #subscription: vscode.Disposable;
  #panel: vscode.WebviewPanel | undefined;
  /** Shown as soon as the page asks for its first state. */
  #toReveal: string | undefined;

  constructor(deps: Dependencies) {
    this.#deps = deps;
    this.#subscription = deps.source.onDidChange((state) =>
      this.#post({ protocol: lineageProtocol, verb: "notify", type: "changed", state }),
    );
  }

  /** Opens the panel or brings it to the front, at one version if a name is given. */
  show(name?: string): void {
    if (this.#panel) {
      this.#panel.reveal();
      if (name !== undefined) this.#post({ protocol: lineageProtocol, verb: "notify", type: "reveal", name });
      return;
    }
    this.#toReveal = name;
    this.#adopt(
      vscode.window.createWebviewPanel(lineagePanelType, "Lineage", vscode.ViewColumn.Active, {
        enableFindWidget: true,
      }),
    );
  }

  deserializeWebviewPanel(panel: vscode.WebviewPanel): Promise<void> {
    this.#panel?.dispose();
    this.#adopt(panel);
    return Promise.resolve();
  }

  #adopt(panel: vscode.WebviewPanel): void {
    const { extensionUri, log } = this.#deps;
    this.#panel = panel;
    panel.iconPath = panelIcon(extensionUri);
    panel.webview.onDidReceiveMessage((message: unknown) =>
      guarded(log, "Lineage panel", () => this.#receive(message)),
    );
    panel.onDidDispose(() => {
      if (this.#panel === panel) this.#panel = undefined;
    });
    showPage(panel.webview, extensionUri, "lineage", "Lineage");
  }

  #receive(raw: unknown): unknown {
    const { source, log, act, selected } = this.#deps;
    const parsed = FromLineagePanel.safeParse(raw);
    if (!parsed.success) {
      log.warn("[lineage] dropped a message that is none of ours", parsed.error.message);
      return undefined;
    }
    const message = parsed.data;
    switch (message.type) {
      case "state": {
        this.#post({
          protocol: lineageProtocol,
          verb: "reply",
          type: "state",
          id: message.id,
          state: source.state,
        });
        const name = this.#toReveal;
        this.#toReveal = undefined;
        if (name !== undefined)
          this.#post({ protocol: lineageProtocol, verb: "notify", type: "reveal", name });
        return undefined;
      }
      case "select":
        return selected(message.name);
      case "action":
        return act(message.action);
    }
  }

  #post(message: ToLineagePanel): void {
    void this.#panel?.webview.postMessage(message);
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#panel?.dispose();
  }
}
