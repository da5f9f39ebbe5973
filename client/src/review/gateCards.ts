import * as vscode from "vscode";
import {
  FromGateCard,
  gateProtocol,
  GateUiState,
  type GateKey,
  type GateState,
  type ToGateCard,
} from "../../../shared/protocol/views/gate.ts";
import type { Proposal } from "../../../shared/protocol/views/proposals.ts";
import type { EvidenceReveal } from "../../../shared/protocol/views/evidence.ts";
import { pageKey } from "../page/inProject.ts";
import { posterOf } from "../page/posterOf.ts";
import type { ProjectChoice } from "../project/projectChoice.ts";
import { guarded } from "../shell/commands.ts";
import { receiveMessages } from "../page/receiveMessages.ts";
import { panelIcon, showPage } from "../page/webviewPage.ts";
import { answerProposal, type AnswerResult, type GivenAnswer } from "./answers.ts";
import { pageAnswer } from "../connection/pageAnswer.ts";
import type { HunkChoice } from "./hunkChoice.ts";
import { openChanges } from "./proposalTexts.ts";
import type { Asks, ProposalsSource, ProposalsState } from "./proposalsSource.ts";

export const gatePanelType = "evotrainer.gate";

type Dependencies = {
  readonly extensionUri: vscode.Uri;
  readonly server: Asks;
  readonly project: Pick<ProjectChoice, "titled" | "onDidChange">;
  readonly source: ProposalsSource;
  readonly choice: HunkChoice;
  readonly log: vscode.LogOutputChannel;
  readonly showEvidence: (query: EvidenceReveal, root: string) => unknown;
};
type OpenState = Extract<GateState, { type: "proposal" }>;
type Card = {
  readonly panel: vscode.WebviewPanel;
  readonly post: (message: ToGateCard) => void;
  readonly key: GateKey;
  state: GateState;
  revision: number;
  /** What came of the last answer: it stays when the proposal cannot be read for a moment. */
  notice: AnswerResult | null;
  isBusy: boolean;
};

/** Who answers the gate that a proposal stands at, and why a person is asked. */
function answererOf(
  { gates, why, root: of }: ProposalsState,
  { root, id }: GateKey,
): Pick<OpenState, "why" | "who"> {
  // What is known of gates is known of one project, which may be another one than that of the card.
  if (of !== root) return { why: null };
  const gate = gates.find(({ version }) => version === id);
  if (gate === undefined) return { why };
  return { why: gate.why, ...(gate.who === undefined ? {} : { who: gate.who }) };
}

/** One card per proposal: what is decided, and the buttons to decide it. Each can be torn down at any moment. */
export class GateCards implements vscode.WebviewPanelSerializer, vscode.Disposable {
  readonly #deps: Dependencies;
  readonly #cards = new Map<string, Card>();
  readonly #subscription: vscode.Disposable;

  constructor(deps: Dependencies) {
    this.#deps = deps;
    this.#subscription = vscode.Disposable.from(
      deps.source.onDidChange(() => this.#changed()),
      deps.project.onDidChange(() => {
        for (const { panel, key } of this.#cards.values()) panel.title = this.#titleOf(key);
      }),
    );
  }

  /** Opens the card of a proposal, or brings it to the front. */
  show(key: GateKey): void {
    const found = this.#cards.get(pageKey(key));
    if (found) {
      found.panel.reveal();
      return;
    }
    const title = this.#titleOf(key);
    this.#adopt(vscode.window.createWebviewPanel(gatePanelType, title, vscode.ViewColumn.Active), key);
  }

  deserializeWebviewPanel(panel: vscode.WebviewPanel, kept: unknown): Promise<void> {
    const key = GateUiState.safeParse(kept).data?.key;
    if (key) this.#adopt(panel, key);
    else panel.dispose();
    return Promise.resolve();
  }

  /** The choice of hunks of a proposal has changed. */
  update(root: string, { id, commit }: Pick<Proposal, "id" | "commit">): void {
    const card = this.#cards.get(pageKey({ root, id }));
    if (card?.state.type === "proposal" && card.state.proposal.commit === commit)
      this.#set(card, { ...card.state, left: [...this.#deps.choice.left(root, card.state.proposal)] });
  }

  /** Answers a proposal and says in its card, if that is open, what came of it. */
  async answer(key: GateKey, given: GivenAnswer): Promise<AnswerResult> {
    const card = this.#cards.get(pageKey(key));
    const show = (change: { isBusy: boolean; notice: AnswerResult | null }): void => {
      if (card === undefined) return;
      Object.assign(card, change);
      if (card.state.type === "proposal") this.#set(card, { ...card.state, ...change });
    };
    const isPending = card?.state.type === "proposal" && card.state.recordPending;
    show({ isBusy: true, notice: null });
    let notice: AnswerResult | null = null;
    try {
      notice = await answerProposal(this.#deps, key, given);
      return notice;
    } finally {
      if (card) await this.#load(card, false);
      show({ isBusy: false, notice });
      // What was still being looked up when the answer was given is looked up again.
      if (card && isPending) void guarded(this.#deps.log, "Gate card", () => this.#load(card, true));
    }
  }

  #titleOf({ root, id }: GateKey): string {
    return this.#deps.project.titled(id, root);
  }

  #adopt(panel: vscode.WebviewPanel, key: GateKey): void {
    const { extensionUri, log } = this.#deps;
    const card: Card = {
      ...{ panel, post: posterOf(panel), key, state: { type: "loading" }, revision: 0 },
      ...{ notice: null, isBusy: false },
    };
    this.#cards.get(pageKey(key))?.panel.dispose();
    this.#cards.set(pageKey(key), card);
    panel.title = this.#titleOf(key);
    panel.iconPath = panelIcon(extensionUri);
    receiveMessages(panel.webview, {
      log,
      view: "gate",
      title: "Gate card",
      messages: () => FromGateCard,
      receive: (message) => this.#receive(card, message),
    });
    panel.onDidDispose(() => {
      if (this.#cards.get(pageKey(key)) === card) this.#cards.delete(pageKey(key));
    });
    showPage(panel.webview, extensionUri, "gate", key.id);
  }

  async #receive(card: Card, message: FromGateCard): Promise<unknown> {
    const proposal = card.state.type === "proposal" ? card.state.proposal : undefined;
    switch (message.type) {
      case "ready":
        this.#post(card);
        return this.#load(card, true);
      case "choose":
        if (proposal) this.#deps.choice.choose(card.key.root, proposal, message);
        return undefined;
      case "openDiff":
        return proposal ? openChanges(card.key.root, proposal) : undefined;
      case "showVersion":
        return vscode.commands.executeCommand("evotrainer.showLineage", {
          ...{ name: message.version, root: card.key.root },
        });
      case "evidence":
        return this.#deps.showEvidence(
          { version: message.version, ...(message.label === null ? {} : { label: message.label }) },
          card.key.root,
        );
      case "approve":
        return this.answer(card.key, { type: "approve" });
      case "revise":
        return this.answer(card.key, message);
      case "reject":
        return this.answer(card.key, { type: "reject", reason: message.reason });
    }
  }

  /** What is known at once is shown at once; the record, which reads the rollouts of all versions, follows. */
  async #load(card: Card, withRecord: boolean): Promise<void> {
    const { source, choice } = this.#deps;
    const revision = ++card.revision;
    const before = card.state.type === "proposal" ? card.state : undefined;
    const { record = null, answersFound } = before?.proposal ?? {};
    const { log } = this.#deps;
    const { id, root } = card.key;
    const shown = await pageAnswer(log, "Gate card", () => source.show(id, { root }));
    if (revision !== card.revision) return;
    if (shown.type === "none") {
      this.#set(card, { type: "missing", message: `${shown.cause} ${shown.advice}`.trim() });
      return;
    }
    this.#set(card, {
      type: "proposal",
      proposal: { ...shown.value, record, ...(answersFound === undefined ? {} : { answersFound }) },
      left: [...choice.left(root, shown.value)],
      recordPending: withRecord && record === null,
      ...answererOf(source.state, card.key),
      notice: card.notice,
      isBusy: card.isBusy,
    });
    if (!withRecord || record !== null) return;
    const full = await source.show(id, { root, record: true }).catch(() => undefined);
    if (revision !== card.revision || card.state.type !== "proposal") return;
    const answer = full?.type === "answer" ? full.value : undefined;
    this.#set(card, {
      ...card.state,
      proposal: {
        ...card.state.proposal,
        record: answer?.record ?? null,
        ...(answer?.answersFound === undefined ? {} : { answersFound: answer.answersFound }),
      },
      recordPending: false,
    });
  }

  #changed(): void {
    const { log } = this.#deps;
    for (const card of this.#cards.values())
      if (card.state.type !== "loading" && !card.isBusy)
        void guarded(log, "Gate card", () =>
          this.#load(card, card.state.type !== "proposal" || card.state.recordPending),
        );
  }

  #set(card: Card, state: GateState): void {
    card.state = state;
    this.#post(card);
  }

  #post({ post, key, state }: Card): void {
    post({ protocol: gateProtocol, type: "state", key, state });
  }

  dispose(): void {
    this.#subscription.dispose();
    for (const { panel } of this.#cards.values()) panel.dispose();
  }
}
