import * as vscode from "vscode";
import { answerTitles } from "../../../shared/words/decisions.ts";
import type { EvidenceReveal } from "../../../shared/protocol/views/evidence.ts";
import { counted } from "../../../shared/words/numbers.ts";
import type { LineageStanding } from "../../../shared/protocol/views/lineage.ts";
import type { CommandId } from "../../../shared/words/commandTitles.ts";
import { registerCommand } from "../shell/commands.ts";
import { answered, askEngine } from "../connection/engineAnswer.ts";
import type { Server } from "../connection/languageClient.ts";
import { KnownFailure, openFolder, showGate } from "../shell/failures.ts";
import type { LineageSource } from "../lineage/lineageSource.ts";
import type { GivenAnswer } from "./answers.ts";
import { GateCards, gatePanelType } from "./gateCards.ts";
import { noticeGates } from "./gateNotice.ts";
import { HunkChoice } from "./hunkChoice.ts";
import { HunkThreads } from "./hunkThreads.ts";
import { openChanges, proposalScheme, ProposalTexts } from "./proposalTexts.ts";
import { ProposalsSource } from "./proposalsSource.ts";
import { ProposalsTree } from "./proposalsTree.ts";
import { reviewsOf } from "./reviewsOf.ts";
import { promoteVersion, revertVersion } from "./versionCommands.ts";

const hasId = (value: unknown): value is { readonly id: string } =>
  typeof value === "object" && value !== null && "id" in value && typeof value.id === "string";

function badgeOf(value: number): vscode.ViewBadge | undefined {
  const tooltip = counted(value, "proposal is waiting for an answer", "proposals are waiting for an answer");
  return value === 0 ? undefined : { value, tooltip };
}

/** Puts up the review of proposals: the tree with its badge, the diff with its comments, the gate cards, the commands. */
export function registerReview(
  context: Pick<vscode.ExtensionContext, "extensionUri" | "workspaceState">,
  server: Server,
  lineage: LineageSource,
  log: vscode.LogOutputChannel,
  on: {
    readonly showEvidence: (query: EvidenceReveal, root: string) => unknown;
    /** Tells the lineage what waits for a review. */
    readonly tellStanding: (standing: Pick<LineageStanding, "waiting" | "byRule">) => void;
  },
): vscode.Disposable[] {
  const source = new ProposalsSource(server, log);
  const choice: HunkChoice = new HunkChoice(context.workspaceState, (proposal) => {
    threads.update(proposal);
    cards.update(proposal);
  });
  const threads = new HunkThreads(source, choice);
  const cards = new GateCards({
    extensionUri: context.extensionUri,
    server,
    source,
    choice,
    log,
    showEvidence: on.showEvidence,
  });
  const tree = new ProposalsTree(source);
  const view = vscode.window.createTreeView("evotrainer.proposals", { treeDataProvider: tree });

  const rootOf = (): string => {
    const { root } = source.state;
    if (root === undefined) throw new KnownFailure("No project has proposals to review.", openFolder);
    return root;
  };
  const idOf = async (argument: unknown): Promise<string | undefined> => {
    if (hasId(argument)) return argument.id;
    const { proposals } = source.state;
    if (proposals.length === 0) {
      void vscode.window.setStatusBarMessage("No proposal is waiting for an answer.", 5000);
      return undefined;
    }
    if (proposals.length === 1) return proposals[0]?.id;
    const items = proposals.map(({ id, title }) => ({ label: id, description: title }));
    const chosen = await vscode.window.showQuickPick(items, {
      title: "Which proposal",
      matchOnDescription: true,
    });
    return chosen?.label;
  };
  const answer = async (
    argument: unknown,
    ask: (id: string) => Promise<GivenAnswer | undefined>,
  ): Promise<void> => {
    const id = await idOf(argument);
    const given = id === undefined ? undefined : await ask(id);
    if (id === undefined || !given) return;
    const { kind, text } = await cards.answer({ root: rootOf(), id }, given);
    if (kind === "refused") throw new KnownFailure(text, showGate);
    void vscode.window.setStatusBarMessage(`${id}: ${text}`, 10_000);
  };
  const chooseHunk = (argument: unknown, taken: boolean): void => {
    const target = threads.target(argument);
    if (target) choice.choose(target.proposal, target.hunk, taken);
    else void vscode.window.setStatusBarMessage("Put the cursor in a hunk of a proposal.", 5000);
  };
  const command = (id: CommandId, handler: (argument: unknown) => unknown): vscode.Disposable =>
    registerCommand(log, id, handler);

  const badge = source.onDidChange(() => {
    view.badge = badgeOf(source.waiting.length);
    choice.keepOnly(source.waiting);
    on.tellStanding(reviewsOf(source.state.gates));
  });

  return [
    ...[source, threads, cards, tree, view, badge],
    noticeGates(source, (id) => cards.show({ root: rootOf(), id })),
    vscode.workspace.registerTextDocumentContentProvider(proposalScheme, new ProposalTexts(source)),
    vscode.window.registerWebviewPanelSerializer(gatePanelType, cards),
    command("evotrainer.refreshProposals", () => source.refresh()),
    command("evotrainer.showGate", async (argument) => {
      const id = await idOf(argument);
      if (id !== undefined) cards.show({ root: rootOf(), id });
    }),
    command("evotrainer.openProposal", async (argument) => {
      const id = await idOf(argument);
      if (id === undefined) return;
      const { root, value } = answered(await source.show(id));
      await openChanges(root, value);
    }),
    command("evotrainer.approveProposal", (argument) =>
      answer(argument, () => Promise.resolve({ type: "approve" })),
    ),
    command("evotrainer.reviseProposal", (argument) => answer(argument, askRevision)),
    command("evotrainer.rejectProposal", (argument) => answer(argument, askReason)),
    command("evotrainer.acceptHunk", (argument) => chooseHunk(argument, true)),
    command("evotrainer.rejectHunk", (argument) => chooseHunk(argument, false)),
    command("evotrainer.propose", () => propose(server, source, cards)),
    command("evotrainer.revertVersion", (argument) => revertVersion(server, lineage, argument)),
    command("evotrainer.promoteVersion", (argument) => promoteVersion(server, lineage, argument)),
  ];
}

async function askRevision(id: string): Promise<GivenAnswer | undefined> {
  const comment = await vscode.window.showInputBox({
    title: `${answerTitles.revise} ${id}`,
    prompt: "What should be different? The next proposer will see it.",
    ignoreFocusOut: true,
    validateInput: (text) => (text.trim() === "" ? "Say what should be different." : null),
  });
  return comment === undefined ? undefined : { type: "revise", comment, withWorkTree: false };
}

async function askReason(id: string): Promise<GivenAnswer | undefined> {
  const reason = await vscode.window.showInputBox({
    title: `${answerTitles.reject} ${id}`,
    prompt: "Why? The reason stays in the lineage.",
    ignoreFocusOut: true,
  });
  return reason === undefined ? undefined : { type: "reject", reason };
}

async function propose(server: Server, source: ProposalsSource, cards: GateCards): Promise<void> {
  const question = { service: "proposals.make", params: { trusted: true } } as const;
  const made = await vscode.window.withProgress({ location: { viewId: "evotrainer.proposals" } }, () =>
    askEngine(server, question),
  );
  const { root, value } = answered(made);
  await source.refresh();
  for (const { id } of value.proposals) cards.show({ root, id });
}
