import * as vscode from "vscode";
import type { Proposal, ProposalHunk } from "../../../shared/protocol/views/proposals.ts";
import type { HunkChoice } from "./hunkChoice.ts";
import { plainMarkdownWithNames } from "./plainMarkdown.ts";
import { proposalUri, textKeyOf } from "./proposalTexts.ts";
import type { ProposalsSource } from "./proposalsSource.ts";
import { rationaleOf, type LookedUp } from "./rationale.ts";

/** A hunk of a proposal that a command is about. */
export type HunkTarget = { readonly root: string; readonly proposal: Proposal; readonly hunk: string };
type Shown = HunkTarget & { readonly index: number; readonly of: number };

/** The rationale of a proposal as comments at the lines that it changes, where each hunk is taken or left out. */
export class HunkThreads implements vscode.Disposable {
  readonly #controller: vscode.CommentController;
  readonly #source: ProposalsSource;
  readonly #choice: HunkChoice;
  readonly #threads = new Map<vscode.CommentThread, Shown>();
  readonly #subscriptions: { dispose(): unknown }[];

  constructor(source: ProposalsSource, choice: HunkChoice) {
    this.#source = source;
    this.#choice = choice;
    this.#controller = vscode.comments.createCommentController(
      "evotrainer.proposals",
      "EvoTrainer Proposals",
    );
    const opened = ({ uri }: vscode.TextDocument): void => void this.#open(uri);
    this.#subscriptions = [
      this.#controller,
      vscode.workspace.onDidOpenTextDocument(opened),
      source.onDidChange(() => {
        void this.#forgetAnswered();
        // What could not be asked before, or was asked while it changed.
        for (const document of vscode.workspace.textDocuments) opened(document);
      }),
    ];
    for (const document of vscode.workspace.textDocuments) opened(document);
  }

  /** The hunk of a thread, or the one at the cursor of the editor that has the focus. */
  target(argument: unknown): HunkTarget | undefined {
    for (const [thread, shown] of this.#threads) if (thread === argument) return shown;
    const editor = vscode.window.activeTextEditor;
    if (!editor || !textKeyOf(editor.document.uri)) return undefined;
    const at = editor.selection.active;
    for (const [thread, shown] of this.#threads)
      if (
        thread.uri.toString() === editor.document.uri.toString() &&
        thread.range?.contains(new vscode.Position(at.line, 0)) === true
      )
        return shown;
    return undefined;
  }

  /** Shows again which hunks of a proposal are taken. */
  update(root: string, { id }: Pick<Proposal, "id">): void {
    for (const [thread, shown] of this.#threads)
      if (shown.root === root && shown.proposal.id === id) this.#label(thread, shown);
  }

  async #open(uri: vscode.Uri): Promise<void> {
    const key = textKeyOf(uri);
    if (!key || [...this.#threads.keys()].some((thread) => thread.uri.toString() === uri.toString())) return;
    // What cannot be asked now is asked again once something has changed.
    const shown = await this.#source.show(key.id, { root: key.root }).catch(() => undefined);
    if (shown?.type !== "answer" || shown.value.commit !== key.commit || shown.value.state !== "waiting")
      return;
    const proposal = shown.value;
    // It may have been answered while it was read.
    if (this.#isAnswered(key.root, proposal)) return;
    const all = proposal.files.flatMap((file) => file.hunks.map((hunk) => ({ file, hunk })));
    for (const [index, { file, hunk }] of all.entries()) {
      const side = sideOf(hunk);
      if (file.path !== key.file || side !== key.side) continue;
      // Asked for twice at once, the second one finds the first one's threads.
      const isThere = (t: Shown): boolean =>
        t.root === key.root && t.hunk === hunk.id && t.proposal.commit === key.commit;
      if ([...this.#threads.values()].some(isThere)) continue;
      const own = proposalUri({ ...key, side });
      this.#add(own, rangeOf(hunk), { root: key.root, proposal, hunk: hunk.id, index, of: all.length });
    }
    await this.#complete(proposal, key.root);
  }

  /** What reads the rollouts of all versions follows: whether the parent has what the change answers, and its proposer's record. */
  async #complete(proposal: Proposal, root: string): Promise<void> {
    const { id, commit } = proposal;
    const ofIt = (): vscode.CommentThread[] =>
      [...this.#threads].flatMap(([thread, shown]) =>
        shown.root === root && shown.proposal.id === id && shown.proposal.commit === commit ? [thread] : [],
      );
    if (ofIt().length === 0) return;
    const full = await this.#source.show(id, { root, record: true }).catch(() => undefined);
    const isKnown = full?.type === "answer" && full.value.commit === commit;
    const comment = isKnown ? commentOf(full.value, "known") : commentOf(proposal, "unknown");
    for (const thread of ofIt()) thread.comments = [comment];
  }

  #add(uri: vscode.Uri, range: vscode.Range, shown: Shown): void {
    const thread = this.#controller.createCommentThread(uri, range, [commentOf(shown.proposal, "pending")]);
    thread.canReply = false;
    thread.collapsibleState = vscode.CommentThreadCollapsibleState.Expanded;
    this.#threads.set(thread, shown);
    this.#label(thread, shown);
  }

  #label(thread: vscode.CommentThread, { root, proposal, hunk, index, of }: Shown): void {
    const isLeft = this.#choice.left(root, proposal).includes(hunk);
    thread.label = `Hunk ${index + 1} of ${of}: ${isLeft ? "left out" : "taken"} on approval`;
    thread.contextValue = isLeft ? "left" : "taken";
  }

  /** Whether a proposal is known to wait no more; what waits is known of the project that is shown. */
  #isAnswered(root: string, { id, commit }: Pick<Proposal, "id" | "commit">): boolean {
    const { state, waiting } = this.#source;
    return state.root === root && !waiting.some((one) => one.id === id && one.commit === commit);
  }

  async #forgetAnswered(): Promise<void> {
    const shown = [...this.#threads.values()];
    for (const { root, proposal } of shown)
      if (this.#isAnswered(root, proposal)) this.#forget(root, proposal);
    // The proposals of other projects are asked for one by one: few have a diff open.
    const others = shown.filter(({ root }) => root !== this.#source.state.root);
    const byName = new Map(others.map((one) => [JSON.stringify([one.root, one.proposal.id]), one]));
    for (const { root, proposal } of byName.values()) {
      const now = await this.#source.show(proposal.id, { root }).catch(() => undefined);
      if (now?.type !== "answer") continue;
      if (now.value.commit !== proposal.commit || now.value.state !== "waiting") this.#forget(root, proposal);
    }
  }

  #forget(root: string, { id, commit }: Pick<Proposal, "id" | "commit">): void {
    for (const [thread, { root: of, proposal }] of this.#threads) {
      if (of !== root || proposal.id !== id || proposal.commit !== commit) continue;
      thread.dispose();
      this.#threads.delete(thread);
    }
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
  }
}

/** What is only removed has its lines on the other side. */
const sideOf = ({ added }: ProposalHunk): "base" | "proposed" => (added.length === 0 ? "base" : "proposed");

function rangeOf(hunk: ProposalHunk): vscode.Range {
  const isRemoval = sideOf(hunk) === "base";
  const start = isRemoval ? hunk.baseStart : hunk.proposedStart;
  const lines = isRemoval ? hunk.removed : hunk.added;
  return new vscode.Range(start, 0, start + Math.max(0, lines.length - 1), 0);
}

/** As text: a proposal may have been written by a model. */
const commentOf = (proposal: Proposal, lookedUp: LookedUp): vscode.Comment => ({
  body: new vscode.MarkdownString(rationaleOf(proposal, lookedUp).map(plainMarkdownWithNames).join("\n\n")),
  mode: vscode.CommentMode.Preview,
  author: { name: proposal.proposer },
});
