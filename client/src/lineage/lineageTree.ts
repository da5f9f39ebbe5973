import * as vscode from "vscode";
import type { LineageVersion } from "../../../shared/protocol/lineage.ts";
import { childrenOf, decisionIcons, rowDescription } from "./lineageRows.ts";
import type { LineageSource } from "./lineageSource.ts";

/** The lineage in the side bar: every version below its parent. */
export class LineageTree implements vscode.TreeDataProvider<LineageVersion>, vscode.Disposable {
  readonly #source: LineageSource;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #subscription: vscode.Disposable;
  readonly onDidChangeTreeData = this.#changed.event;

  constructor(source: LineageSource) {
    this.#source = source;
    this.#subscription = source.onDidChange(() => this.#changed.fire());
  }

  getChildren(parent?: LineageVersion): LineageVersion[] {
    const { state } = this.#source;
    return state.type === "lineage" ? childrenOf(state.view, parent?.name) : [];
  }

  getParent({ parent }: LineageVersion): LineageVersion | undefined {
    return parent === null ? undefined : this.find(parent);
  }

  find(name: string): LineageVersion | undefined {
    const { state } = this.#source;
    return state.type === "lineage"
      ? state.view.versions.find((version) => version.name === name)
      : undefined;
  }

  getTreeItem(version: LineageVersion): vscode.TreeItem {
    const { icon, color } = decisionIcons[version.decision];
    const hasChildren = this.getChildren(version).length > 0;
    const item = new vscode.TreeItem(
      version.name,
      hasChildren ? vscode.TreeItemCollapsibleState.Expanded : vscode.TreeItemCollapsibleState.None,
    );
    item.id = version.name;
    item.contextValue = `version.${version.decision}`;
    item.description = rowDescription(version);
    item.iconPath = new vscode.ThemeIcon(icon, new vscode.ThemeColor(color));
    item.tooltip = new vscode.MarkdownString().appendText(
      [version.title, version.reason].filter((line) => line !== "").join("\n\n"),
    );
    item.accessibilityInformation = { label: `${version.name}, ${rowDescription(version)}` };
    item.command = {
      command: "evotrainer.showLineage",
      title: "Show Lineage",
      arguments: [{ name: version.name }],
    };
    return item;
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#changed.dispose();
  }
}
