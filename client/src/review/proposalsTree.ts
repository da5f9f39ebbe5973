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
  | { readonly type: "proposal"; readonly id: string; readonly summary: ProposalSummary }
  | { readonly type: "file"; readonly id: string; readonly file: ProposalFile };

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
    if (parent === undefined)
      return this.#source.state.proposals.map((summary) => ({ type: "proposal", id: summary.id, summary }));
    if (parent.type === "file") return [];
    const shown = await this.#source.show(parent.id);
    return shown.type === "none"
      ? []
      : shown.value.files.map((file) => ({ type: "file", id: parent.id, file }));
  }

  getTreeItem(node: ProposalNode): vscode.TreeItem {
    return plainItem(node.type === "proposal" ? proposalItem(node.summary) : fileItem(node.id, node.file));
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#changed.dispose();
  }
}

function proposalItem(summary: ProposalSummary): vscode.TreeItem {
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
    arguments: [{ id }],
  };
  return item;
}

function fileItem(id: string, { path, hunks }: ProposalFile): vscode.TreeItem {
  const item = new vscode.TreeItem(path, vscode.TreeItemCollapsibleState.None);
  item.id = `${id} ${path}`;
  item.description = counted(hunks.length, "hunk");
  item.iconPath = new vscode.ThemeIcon("diff");
  item.contextValue = "proposal.file";
  item.command = {
    command: "evotrainer.openProposal",
    title: commandTitles["evotrainer.openProposal"],
    arguments: [{ id }],
  };
  return item;
}
