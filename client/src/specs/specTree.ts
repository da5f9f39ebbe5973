import * as vscode from "vscode";
import { plainItem } from "../shell/plainItem.ts";
import type { ServiceParams, ServiceResult } from "../../../shared/protocol/editorServices.ts";
import type { Server } from "../connection/languageClient.ts";
import type { ProjectChoice } from "../project/projectChoice.ts";
import type { SpecNode } from "./specRows.ts";

export type SpecElement = SpecNode & { readonly root: string };

type SpecService = "diagnostics.list" | "skills.list";

type Options<N extends SpecService> = {
  readonly view: "evotrainer.diagnostics" | "evotrainer.skills";
  readonly service: N;
  readonly project: Pick<ProjectChoice, "current">;
  readonly params: (root: string | undefined) => ServiceParams<N>;
  readonly nodes: (list: ServiceResult<N>, root: string) => SpecNode[] | Promise<SpecNode[]>;
};

/**
 * Specs of one kind in the side bar. They are asked for while the view is seen: a hidden one costs nothing. Why it is
 * empty is told by the context `<view>.empty`, which the welcome texts go by.
 */
export class SpecTree<N extends SpecService>
  implements vscode.TreeDataProvider<SpecElement>, vscode.Disposable
{
  readonly #server: Server;
  readonly #log: vscode.LogOutputChannel;
  readonly #options: Options<N>;
  readonly #view: vscode.TreeView<SpecElement>;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #subscriptions: vscode.Disposable[];
  readonly onDidChangeTreeData = this.#changed.event;
  #elements: SpecElement[] = [];
  #empty = "";
  #revision = 0;

  constructor(server: Server, log: vscode.LogOutputChannel, options: Options<N>) {
    this.#server = server;
    this.#log = log;
    this.#options = options;
    this.#view = vscode.window.createTreeView(options.view, {
      treeDataProvider: this,
      showCollapseAll: options.view === "evotrainer.diagnostics",
    });
    const files = vscode.workspace.createFileSystemWatcher(
      "**/{evotrainer.yaml,*.diagnostic.yaml,*.skill.yaml}",
    );
    // Without a project or an archive the view is hidden, and nobody would see that there is one now.
    const stale = (): void => {
      if (this.#view.visible || this.#empty === "noProject") void this.refresh();
    };
    this.#subscriptions = [
      this.#view,
      files,
      files.onDidChange(stale),
      files.onDidCreate(stale),
      files.onDidDelete(stale),
      this.#view.onDidChangeVisibility(stale),
      server.onChange(stale),
      vscode.workspace.onDidGrantWorkspaceTrust(stale),
    ];
  }

  /** Asks again. An answer that a later question has overtaken is dropped. */
  async refresh(): Promise<void> {
    const revision = ++this.#revision;
    const { elements, empty } = await this.#ask();
    if (revision !== this.#revision) return;
    this.#elements = elements;
    this.#empty = empty;
    await vscode.commands.executeCommand("setContext", `${this.#options.view}.empty`, empty);
    this.#changed.fire();
  }

  async #ask(): Promise<{ elements: SpecElement[]; empty: string }> {
    const { service, params, nodes } = this.#options;
    const none = (empty: string) => ({ elements: [], empty });
    if (this.#server.state() !== "running") return none(this.#server.state() === "starting" ? "" : "stopped");
    try {
      // What is asked for is kept by project: which one that is has to be known before.
      const root = this.#options.project.current ?? (await this.#server.projects())[0];
      const at = root === undefined ? {} : { root };
      const reply = await this.#server.engine({ ...at, service, params: params(root) });
      switch (reply.type) {
        case "answer": {
          const { root: of } = reply;
          const elements = (await nodes(reply.result, of)).map((node) => ({ ...node, root: of }));
          return { elements, empty: elements.length === 0 ? "none" : "" };
        }
        case "refused":
          this.#log.warn(`[${this.#options.view}] could not be read`, reply.message);
          return none("unreadable");
        case "noArchive":
          return none("none");
        case "noFolder":
        case "noProject":
        case "untrusted":
          return none(reply.type);
      }
    } catch (e) {
      this.#log.error(
        `[${this.#options.view}] could not be read`,
        e instanceof Error ? (e.stack ?? e.message) : String(e),
      );
      return none(this.#server.state() === "running" ? "unreadable" : "stopped");
    }
  }

  getChildren(parent?: SpecElement): SpecElement[] {
    if (parent === undefined) return this.#elements;
    return parent.type === "group" ? parent.children.map((node) => ({ ...node, root: parent.root })) : [];
  }

  getTreeItem(element: SpecElement): vscode.TreeItem {
    return plainItem(this.#itemOf(element));
  }

  #itemOf(element: SpecElement): vscode.TreeItem {
    if (element.type === "group") {
      const open = element.label === "This project";
      const { Collapsed, Expanded } = vscode.TreeItemCollapsibleState;
      const group = new vscode.TreeItem(element.label, open ? Expanded : Collapsed);
      group.id = element.label;
      group.description = element.description;
      return group;
    }
    const item = new vscode.TreeItem(element.name);
    item.description = element.description;
    item.tooltip = element.tooltip;
    item.iconPath = new vscode.ThemeIcon(
      element.icon,
      element.color === null ? undefined : new vscode.ThemeColor(element.color),
    );
    item.contextValue = element.context;
    item.accessibilityInformation = { label: `${element.name}, ${element.description}` };
    const at = new vscode.Position(Math.max(0, element.line - 1), 0);
    item.command = {
      command: "vscode.open",
      title: "Open",
      arguments: [vscode.Uri.file(element.file), { selection: new vscode.Range(at, at) }],
    };
    return item;
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
    this.#changed.dispose();
  }
}
