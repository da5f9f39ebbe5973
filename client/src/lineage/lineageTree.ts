import * as vscode from "vscode";
import { inBlock } from "../../../shared/words/unseen.ts";
import { plainItem } from "../shell/plainItem.ts";
import { commandTitles } from "../../../shared/words/commandTitles.ts";
import { decisionLook, themeColours } from "../../../shared/words/decisions.ts";
import { shortName } from "../../../shared/words/shortName.ts";
import { childrenOf, rowDescription, rowSaid, scoreText, type ChildIndex } from "./lineageRows.ts";
import type { LineageSource } from "./lineageSource.ts";

/** A version in the tree. Commands get it as their argument. */
export type LineageNode = {
  readonly root: string | undefined;
  readonly name: string;
  readonly index: number;
};

/** Below this many versions the tree starts unfolded. */
const unfolded = 200;

/** The lineage in the side bar: every version below its parent. */
export class LineageTree implements vscode.TreeDataProvider<LineageNode>, vscode.Disposable {
  readonly #source: LineageSource;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #subscription: vscode.Disposable;
  readonly onDidChangeTreeData = this.#changed.event;
  #children: ChildIndex | undefined;

  constructor(source: LineageSource) {
    this.#source = source;
    this.#subscription = source.onDidChange(() => {
      this.#children = undefined;
      this.#changed.fire();
    });
  }

  getChildren(parent?: LineageNode): LineageNode[] {
    const { state } = this.#source;
    if (state.type !== "lineage") return [];
    this.#children ??= childrenOf(state.table);
    return this.#children(parent?.index ?? -1).map((index) => this.#nodeOf(index, state.table.name[index]));
  }

  getParent({ index }: LineageNode): LineageNode | undefined {
    const { state } = this.#source;
    if (state.type !== "lineage") return undefined;
    const parent = state.table.parent[index] ?? -1;
    return parent < 0 ? undefined : this.#nodeOf(parent, state.table.name[parent]);
  }

  find(name: string): LineageNode | undefined {
    const { state } = this.#source;
    const index = state.type === "lineage" ? state.table.find(name) : undefined;
    return index === undefined ? undefined : this.#nodeOf(index, name);
  }

  #nodeOf(index: number, name = ""): LineageNode {
    return { root: this.#source.root, name, index };
  }

  getTreeItem(node: LineageNode): vscode.TreeItem {
    return plainItem(this.#itemOf(node));
  }

  #itemOf(node: LineageNode): vscode.TreeItem {
    const { state } = this.#source;
    const version = state.type === "lineage" ? state.table.version(node.index) : undefined;
    if (state.type !== "lineage" || version === undefined) return new vscode.TreeItem(node.name);
    const { icon, colour } = decisionLook(version.decision, version.compared?.verdict);
    const hasChildren = this.getChildren(node).length > 0;
    const { None, Expanded, Collapsed } = vscode.TreeItemCollapsibleState;
    const item = new vscode.TreeItem(
      shortName(version.name),
      hasChildren ? (state.table.total < unfolded ? Expanded : Collapsed) : None,
    );
    // How an item is first shown is kept for as long as its id stays: one that gets children is shown anew, unfolded.
    item.id = hasChildren ? `${version.name}+` : version.name;
    const isBaseline = version.decision === "keep" && version.factor === null;
    item.contextValue = `version.${version.decision}${version.promoted ? ".promoted" : isBaseline ? ".baseline" : ""}`;
    item.description = rowDescription(version);
    item.iconPath = new vscode.ThemeIcon(icon, new vscode.ThemeColor(themeColours[colour]));
    const said = version.notes.map(({ by, text }) => `${by}: ${text}`);
    item.tooltip = new vscode.MarkdownString().appendText(
      inBlock(
        [`${version.name} ${scoreText(version)}`.trimEnd(), version.title, version.reason, ...said]
          .filter((line) => line !== "")
          .join("\n\n"),
      ),
    );
    item.accessibilityInformation = { label: rowSaid(version) };
    item.command = {
      command: "evotrainer.showLineage",
      title: commandTitles["evotrainer.showLineage"],
      arguments: [{ name: version.name }],
    };
    return item;
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#changed.dispose();
  }
}
