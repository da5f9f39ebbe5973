import * as vscode from "vscode";
import type { Proposal, ProposalSummary, WaitingGate } from "../../../shared/protocol/views/proposals.ts";
import { askEngine, type Answer } from "../connection/engineAnswer.ts";
import type { Server } from "../connection/languageClient.ts";

export type Asks = Pick<Server, "engine" | "state" | "onChange">;

/** What the Proposals view has to show; `why` says why a person is asked. */
export type ProposalsState = {
  readonly root: string | undefined;
  readonly why: string | null;
  readonly proposals: readonly ProposalSummary[];
  readonly gates: readonly WaitingGate[];
};

type ShownProposal = Answer<Proposal>;

const nothing: ProposalsState = { root: undefined, why: null, proposals: [], gates: [] };

const retryMilliseconds = [1000, 3000, 10_000, 30_000];

/** The one holder of the proposals that wait: tree, badge, notification and cards all show what it has. */
export class ProposalsSource implements vscode.Disposable {
  readonly #server: Asks;
  readonly #log: vscode.LogOutputChannel;
  readonly #changed = new vscode.EventEmitter<ProposalsState>();
  readonly #subscription: vscode.Disposable;
  readonly onDidChange = this.#changed.event;
  /** What is being looked up, or was since anything changed: it takes long, and the card and the comments ask for the same. */
  readonly #full = new Map<string, Promise<ShownProposal>>();
  #state = nothing;
  #asking: vscode.CancellationTokenSource | undefined;
  #retry: ReturnType<typeof setTimeout> | undefined;

  constructor(server: Asks, log: vscode.LogOutputChannel) {
    this.#server = server;
    this.#log = log;
    this.#subscription = server.onChange(() => void this.refresh());
  }

  get state(): ProposalsState {
    return this.#state;
  }

  get waiting(): readonly ProposalSummary[] {
    return this.#state.proposals.filter(({ state }) => state === "waiting");
  }

  /** Asks again; a later question takes the place of one that is under way. */
  refresh(): Promise<void> {
    this.#full.clear();
    return this.#ask(retryMilliseconds);
  }

  /** An engine that is just handing the archive over refuses; nobody would tell of the proposal a second time. */
  async #ask([pause, ...pauses]: readonly number[]): Promise<void> {
    clearTimeout(this.#retry);
    const again = (): void => {
      if (pause !== undefined) this.#retry = setTimeout(() => void this.#ask(pauses), pause);
    };
    this.#asking?.cancel();
    const asking = new vscode.CancellationTokenSource();
    this.#asking = asking;
    try {
      const question = { service: "proposals.list", params: {} } as const;
      const answer = await askEngine(this.#server, question, asking.token);
      if (this.#asking !== asking) return;
      this.#state =
        answer.type === "answer"
          ? {
              ...{ root: answer.root, why: answer.value.why, proposals: answer.value.proposals },
              gates: answer.value.gates ?? [],
            }
          : nothing;
      if (answer.type === "none") again();
      await vscode.commands.executeCommand(
        "setContext",
        "evotrainer.proposals",
        this.#state.proposals.length,
      );
      this.#changed.fire(this.#state);
    } catch (e) {
      // Cancelled, or the server went down; what was known stays until it comes back.
      if (this.#asking !== asking) return;
      this.#log.warn("[proposals] not read", e instanceof Error ? e.message : String(e));
      again();
    } finally {
      if (this.#asking === asking) this.#asking = undefined;
      asking.dispose();
    }
  }

  /** All of one proposal; with the record of its proposer if asked for, which takes longer. */
  show(
    id: string,
    {
      root = this.#state.root,
      record = false,
    }: { readonly root?: string | undefined; readonly record?: boolean } = {},
  ): Promise<ShownProposal> {
    if (!record) return this.#show(id, root, false);
    const key = `${root ?? ""} ${id}`;
    const known = this.#full.get(key);
    if (known !== undefined) return known;
    const asked = this.#show(id, root, true);
    const forget = (): void => {
      if (this.#full.get(key) === asked) this.#full.delete(key);
    };
    asked.then(({ type }) => type === "none" && forget(), forget);
    this.#full.set(key, asked);
    return asked;
  }

  #show(id: string, root: string | undefined, record: boolean): Promise<ShownProposal> {
    const question = { service: "proposals.show", params: { id, record } } as const;
    return askEngine(this.#server, root === undefined ? question : { root, ...question });
  }

  dispose(): void {
    clearTimeout(this.#retry);
    this.#subscription.dispose();
    this.#changed.dispose();
    this.#asking?.dispose();
    this.#asking = undefined;
  }
}
