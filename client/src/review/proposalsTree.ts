import * as vscode from "vscode";
import { plainItem } from "../shell/plainItem.ts";
import { commandTitles } from "../../../shared/words/commandTitles.ts";
import { answeredWords, proposalLooks } from "../../../shared/words/decisions.ts";
import { counted } from "../../../shared/words/numbers.ts";
import type { ProposalFile, ProposalSummary } from "../../../shared/protocol/views/proposals.ts";
import { plainMarkdown } from "./plainMarkdown.ts";
import type { ProposalsSource } from "./proposalsSource.ts";

/** A proposal, or one of the files that it changes. */
export type ProposalNode =
  | { readonly type: "proposal"; readonly root: Root; readonly id: string; readonly summary: ProposalSummary }
  | { readonly type: "file"; readonly root: Root; readonly id: string; readonly file: ProposalFile };
/** The project that a proposal is of. */
type Root = string | undefined;

/** The proposals that wait, in the side bar: each with the files that it changes. */
export class ProposalsTree implements vscode.TreeDataProvider<ProposalNode>, vscode.Disposable {
  readonly #source: ProposalsSource;
  readonly #changed = new vscode.EventEmitter<undefined>();
  readonly #subscription: vscode.Disposable;
  readonly onDidChangeTreeData = this.#changed.event;

  constructor(source: ProposalsSource) {
    this.#source = source;
    this.#subscription = source.onDidChange(() => this.#changed.fire(undefined));
  }

  async getChildren(parent?: ProposalNode): Promise<ProposalNode[]> {
    if (parent === undefined) {
      const { root, proposals } = this.#source.state;
      return proposals.map((summary) => ({ type: "proposal", root, id: summary.id, summary }));
    }
    if (parent.type === "file") return [];
    const { root } = parent;
    const shown = await this.#source.show(parent.id, { root });
    return shown.type === "none"
      ? []
      : shown.value.files.map((file) => ({ type: "file", root, id: parent.id, file }));
  }

  getTreeItem(node: ProposalNode): vscode.TreeItem {
    return plainItem(node.type === "proposal" ? proposalItem(node) : fileItem(node));
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#changed.dispose();
  }
}

function proposalItem({ root, summary }: Extract<ProposalNode, { type: "proposal" }>): vscode.TreeItem {
  const { id, title, factor, state, parent, proposer } = summary;
  const isWaiting = state === "waiting";
  const looks = proposalLooks[state];
  const item = new vscode.TreeItem(id, vscode.TreeItemCollapsibleState.Collapsed);
  item.id = id;
  item.description = `${isWaiting ? "" : `${answeredWords.revise} · `}${title}`;
  item.iconPath = new vscode.ThemeIcon(looks.icon);
  item.contextValue = `proposal.${state}`;
  const lines = [title, `On ${parent}, by ${proposer}${factor === null ? "" : `; factor ${factor}`}.`];
  for (const { answer, by, comment } of summary.answers)
    lines.push(`${answeredWords[answer]} by ${by}${comment === null ? "" : `: ${comment}`}`);
  item.tooltip = new vscode.MarkdownString(lines.map(plainMarkdown).join("\n\n"));
  item.accessibilityInformation = { label: `Proposal ${id}, ${looks.word}: ${title}` };
  item.command = {
    command: "evotrainer.showGate",
    title: commandTitles["evotrainer.showGate"],
    arguments: [{ root, id }],
  };
  return item;
}

function fileItem({ root, id, file }: Extract<ProposalNode, { type: "file" }>): vscode.TreeItem {
  const { path, hunks } = file;
  const item = new vscode.TreeItem(path, vscode.TreeItemCollapsibleState.None);
  item.id = `${id} ${path}`;
  item.description = counted(hunks.length, "hunk");
  item.iconPath = new vscode.ThemeIcon("diff");
  item.contextValue = "proposal.file";
  item.command = {
    command: "evotrainer.openProposal",
    title: commandTitles["evotrainer.openProposal"],
    arguments: [{ root, id }],
  };
  return item;
}
