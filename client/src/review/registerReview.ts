import * as vscode from "vscode";
import { answerTitles } from "../../../shared/words/decisions.ts";
import type { GateKey } from "../../../shared/protocol/views/gate.ts";
import type { EvidenceReveal } from "../../../shared/protocol/views/evidence.ts";
import { counted } from "../../../shared/words/numbers.ts";
import type { LineageStanding } from "../../../shared/protocol/views/lineage.ts";
import type { CommandId } from "../../../shared/words/commandTitles.ts";
import type { ProjectChoice } from "../project/projectChoice.ts";
import { ProposalArgument } from "../shell/inputSchemas.ts";
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

function badgeOf(value: number): vscode.ViewBadge | undefined {
  const tooltip = counted(value, "proposal is waiting for an answer", "proposals are waiting for an answer");
  return value === 0 ? undefined : { value, tooltip };
}

/** Puts up the review of proposals: the tree with its badge, the diff with its comments, the gate cards, the commands. */
export function registerReview(
  {
    context,
    server,
    project,
    lineage,
    log,
  }: {
    readonly context: Pick<vscode.ExtensionContext, "extensionUri" | "workspaceState">;
    readonly server: Server;
    readonly project: ProjectChoice;
    readonly lineage: LineageSource;
    readonly log: vscode.LogOutputChannel;
  },
  on: {
    readonly showEvidence: (query: EvidenceReveal, root: string) => unknown;
    /** Tells the lineage what waits for a review. */
    readonly tellStanding: (standing: Pick<LineageStanding, "waiting" | "byRule">) => void;
  },
): vscode.Disposable[] {
  const source = new ProposalsSource(server, log);
  const choice: HunkChoice = new HunkChoice(context.workspaceState, (root, proposal) => {
    threads.update(root, proposal);
    cards.update(root, proposal);
  });
  const threads = new HunkThreads(source, choice);
  const cards = new GateCards({
    extensionUri: context.extensionUri,
    server,
    project,
    source,
    choice,
    log,
    showEvidence: on.showEvidence,
  });
  const tree = new ProposalsTree(source);
  const view = vscode.window.createTreeView("evotrainer.proposals", { treeDataProvider: tree });

  const keyOf = proposalAsked(source);
  const answer = async (
    argument: unknown,
    ask: (named: string) => Promise<GivenAnswer | undefined>,
  ): Promise<void> => {
    const key = await keyOf(argument);
    const named = key && project.titled(key.id, key.root);
    const given = named === undefined ? undefined : await ask(named);
    if (key === undefined || !given) return;
    const { kind, text } = await cards.answer(key, given);
    if (kind === "refused") throw new KnownFailure(text, { ...showGate, about: key });
    void vscode.window.setStatusBarMessage(`${named}: ${text}`, 10_000);
  };
  const chooseHunk = (argument: unknown, taken: boolean): void => {
    const target = threads.target(argument);
    if (target) choice.choose(target.root, target.proposal, { hunk: target.hunk, taken });
    else void vscode.window.setStatusBarMessage("Put the cursor in a hunk of a proposal.", 5000);
  };
  const command = (id: CommandId, handler: (argument: unknown) => unknown): vscode.Disposable =>
    registerCommand(log, id, handler);

  const badge = source.onDidChange(() => {
    view.badge = badgeOf(source.waiting.length);
    on.tellStanding(reviewsOf(source.state.gates));
  });

  return [
    ...[source, threads, cards, tree, view, badge],
    vscode.Disposable.from(choice.follow(source)),
    noticeGates(source, project, (key) => cards.show(key)),
    vscode.workspace.registerTextDocumentContentProvider(proposalScheme, new ProposalTexts(source)),
    vscode.window.registerWebviewPanelSerializer(gatePanelType, cards),
    command("evotrainer.refreshProposals", () => source.refresh()),
    command("evotrainer.showGate", async (argument) => {
      const key = await keyOf(argument);
      if (key) cards.show(key);
    }),
    command("evotrainer.openProposal", async (argument) => {
      const key = await keyOf(argument);
      if (!key) return;
      const { root, value } = answered(await source.show(key.id, { root: key.root }));
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

/** Gives the proposal that a command is about: the one of a row or of another view, or one that a person chooses. */
const proposalAsked =
  (source: ProposalsSource) =>
  async (argument: unknown): Promise<GateKey | undefined> => {
    // While a person is asked, another project may be chosen: its folder is read before.
    const { root, proposals } = source.state;
    const given = ProposalArgument.safeParse(argument).data;
    if (given) {
      const of = given.root ?? root;
      if (of === undefined) throw new KnownFailure("No project has proposals to review.", openFolder);
      return { root: of, id: given.id };
    }
    const [first] = proposals;
    if (root === undefined || first === undefined) {
      void vscode.window.setStatusBarMessage("No proposal is waiting for an answer.", 5000);
      return undefined;
    }
    if (proposals.length === 1) return { root, id: first.id };
    const items = proposals.map(({ id, title }) => ({ label: id, description: title }));
    const chosen = await vscode.window.showQuickPick(items, {
      title: "Which proposal",
      matchOnDescription: true,
    });
    return chosen && { root, id: chosen.label };
  };

async function askRevision(named: string): Promise<GivenAnswer | undefined> {
  const comment = await vscode.window.showInputBox({
    title: `${answerTitles.revise} ${named}`,
    prompt: "What should be different? The next proposer will see it.",
    ignoreFocusOut: true,
    validateInput: (text) => (text.trim() === "" ? "Say what should be different." : null),
  });
  return comment === undefined ? undefined : { type: "revise", comment, withWorkTree: false };
}

async function askReason(named: string): Promise<GivenAnswer | undefined> {
  const reason = await vscode.window.showInputBox({
    title: `${answerTitles.reject} ${named}`,
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
