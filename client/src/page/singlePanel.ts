import * as vscode from "vscode";
import type { z } from "zod";
import { receiveMessages, type Messages } from "./receiveMessages.ts";
import { panelIcon, showPage } from "./webviewPage.ts";

export type PanelOptions<From extends z.ZodType> = Messages<From> & {
  readonly extensionUri: vscode.Uri;
  /** As package.json names it in `onWebviewPanel:`. */
  readonly type: string;
  readonly closed?: () => void;
};

/**
 * A panel that is there at most once. It can be closed, hidden or torn down at any moment: it holds nothing, and a page that
 * is shown again asks for everything again. What is posted to a page that is not to be seen is dropped, unless it is to be kept
 * for it.
 */
export class SinglePanel<To, From extends z.ZodType>
  implements vscode.WebviewPanelSerializer, vscode.Disposable
{
  readonly #options: PanelOptions<From>;
  readonly #registered: vscode.Disposable;
  #panel: vscode.WebviewPanel | undefined;
  /** Whether the page that is seen has said that it is there: one that was covered is made anew. */
  #isThere = false;
  /** Told as soon as a page is there. */
  #kept: To[] = [];

  constructor(options: PanelOptions<From>) {
    this.#options = options;
    this.#registered = vscode.window.registerWebviewPanelSerializer(options.type, this);
  }

  get visible(): boolean {
    return this.#panel?.visible === true;
  }

  /** Opens the panel or brings it to the front. A page that was not to be seen says when it is ready. */
  show(): void {
    const { type, title } = this.#options;
    if (this.#panel) {
      this.#panel.reveal();
      return;
    }
    closeUnread(type);
    this.#adopt(
      vscode.window.createWebviewPanel(type, title, vscode.ViewColumn.Active, { enableFindWidget: true }),
    );
  }

  set title(text: string) {
    if (this.#panel) this.#panel.title = text;
  }

  post(message: To): void {
    if (this.visible) void this.#panel?.webview.postMessage(message);
  }

  /** Posts what nobody says a second time: it waits for the page, also for one that is opened later. */
  postKept(message: To): void {
    this.#kept.push(message);
    this.#tellKept();
  }

  #tellKept(): void {
    if (!this.visible || !this.#isThere) return;
    for (const message of this.#kept.splice(0)) this.post(message);
  }

  deserializeWebviewPanel(panel: vscode.WebviewPanel): Promise<void> {
    this.#panel?.dispose();
    this.#adopt(panel);
    return Promise.resolve();
  }

  #adopt(panel: vscode.WebviewPanel): void {
    const { extensionUri, title, view, closed, receive } = this.#options;
    this.#panel = panel;
    this.#isThere = false;
    panel.iconPath = panelIcon(extensionUri);
    receiveMessages(panel.webview, {
      ...this.#options,
      title: `${title} panel`,
      receive: (message) => {
        const received = receive(message);
        // What it asked for comes first.
        this.#isThere = true;
        this.#tellKept();
        return received;
      },
    });
    panel.onDidChangeViewState(() => {
      if (this.#panel === panel && !panel.visible) this.#isThere = false;
    });
    panel.onDidDispose(() => {
      if (this.#panel !== panel) return;
      this.#panel = undefined;
      closed?.();
    });
    showPage(panel.webview, extensionUri, view, title);
  }

  dispose(): void {
    this.#registered.dispose();
    this.#panel?.dispose();
  }
}

/**
 * Closes tabs of the type that the editor kept over a reload and nobody has looked at since: the editor hands such a panel over
 * only when it is looked at, and until then there would be two.
 */
function closeUnread(type: string): void {
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  const unread = tabs.filter(
    ({ input }) => input instanceof vscode.TabInputWebview && input.viewType.endsWith(`-${type}`),
  );
  if (unread.length > 0) void vscode.window.tabGroups.close(unread, true);
}
