import * as vscode from "vscode";
import {
  evidenceProtocol,
  FromEvidencePanel,
  type EvidenceQuery,
  type EvidenceReveal,
  type EvidenceState,
  type ToEvidencePanel,
} from "../../../shared/protocol/views/evidence.ts";
import type { ServiceParams, ServiceResult } from "../../../shared/protocol/editorServices.ts";
import { exportList } from "./exportList.ts";
import { askEngine, type Answer } from "../connection/engineAnswer.ts";
import type { Server } from "../connection/languageClient.ts";
import type { ProjectChoice } from "../project/projectChoice.ts";
import { SinglePanel } from "../page/singlePanel.ts";

type Dependencies = {
  readonly extensionUri: vscode.Uri;
  readonly server: Server;
  readonly project: Pick<ProjectChoice, "onDidChange">;
  readonly log: vscode.LogOutputChannel;
  readonly openRollout: (key: { root: string; within: string; id: string }, at: OpenAt) => unknown;
};
/** A place in a list of rollouts; `of` is how many it has, if that is known. */
export type ListPlace = { readonly query: EvidenceQuery; readonly at: number; readonly of: number | null };
export type OpenAt = { readonly beside: boolean; readonly focus?: string; readonly from?: ListPlace };

/** The panel that lists rollouts. It holds nothing but the way to the engine; closed or torn down, it asks again. */
export class EvidencePanel implements vscode.Disposable {
  readonly #deps: Dependencies;
  readonly #panel: SinglePanel<ToEvidencePanel, typeof FromEvidencePanel>;
  readonly #subscription: vscode.Disposable;
  /** Questions on their way, one of each kind: a later one takes the place of an earlier one. */
  readonly #asking = new Map<"page" | "groups", vscode.CancellationTokenSource>();
  #root: string | undefined;
  /** Told as soon as the page is there. */
  #toReveal: EvidenceReveal | undefined;

  constructor(deps: Dependencies) {
    this.#deps = deps;
    this.#subscription = vscode.Disposable.from(
      deps.project.onDidChange(() => (this.#root = undefined)),
      deps.server.onChange(() => void this.#tellVersions()),
    );
    this.#panel = new SinglePanel({
      extensionUri: deps.extensionUri,
      log: deps.log,
      type: "evotrainer.evidence",
      view: "evidence",
      title: "Evidence",
      messages: () => FromEvidencePanel,
      receive: (message) => this.#receive(message),
      closed: () => {
        for (const source of this.#asking.values()) source.cancel();
      },
    });
  }

  /** Opens the panel or brings it to the front, with a filter if one is given. */
  show(query?: EvidenceReveal, root?: string): void {
    if (root !== undefined) this.#root = root;
    if (this.#panel.visible) {
      if (query) this.#post({ protocol: evidenceProtocol, type: "reveal", query });
    } else this.#toReveal = query;
    this.#panel.show();
  }

  async #receive(asked: FromEvidencePanel): Promise<void> {
    const { openRollout } = this.#deps;
    switch (asked.type) {
      case "ready":
      case "refresh":
        await this.#tellVersions();
        if (this.#toReveal) this.#post({ protocol: evidenceProtocol, type: "reveal", query: this.#toReveal });
        this.#toReveal = undefined;
        return;
      case "page": {
        const { id, query, offset, limit, list, counts } = asked;
        const params = { ...query, offset, limit, counts, ...(list === null ? {} : { list }) };
        const answer = await this.#ask("page", "rollouts.window", params);
        if (answer === undefined) return;
        this.#post({
          protocol: evidenceProtocol,
          type: "page",
          id,
          answer: answer.type === "answer" ? { type: "page", page: answer.value } : refused(answer),
        });
        return;
      }
      case "groups": {
        const { id, by } = asked;
        const params = { ...asked.query, by };
        const answer = await this.#ask("groups", "rollouts.groups", params);
        if (answer === undefined) return;
        this.#post({
          protocol: evidenceProtocol,
          type: "groups",
          id,
          answer: answer.type === "answer" ? { type: "groups", groups: answer.value } : refused(answer),
        });
        return;
      }
      case "export":
        if (this.#root !== undefined) await exportList(this.#deps.server, this.#root, asked.query);
        return;
      case "open":
        if (this.#root !== undefined)
          await openRollout(
            { root: this.#root, within: asked.run, id: asked.id },
            { beside: asked.beside, ...(asked.from === undefined ? {} : { from: asked.from }) },
          );
        return;
    }
  }

  /** The engine's answer; undefined when another question of the kind has taken its place. */
  async #ask<N extends "rollouts.window" | "rollouts.groups">(
    kind: "page" | "groups",
    service: N,
    params: ServiceParams<N>,
  ): Promise<Answer<ServiceResult<N>> | undefined> {
    this.#asking.get(kind)?.cancel();
    const source = new vscode.CancellationTokenSource();
    this.#asking.set(kind, source);
    try {
      const root = this.#root;
      const question = { service, params, ...(root === undefined ? {} : { root }) };
      const answer = await askEngine(this.#deps.server, question, source.token);
      return source.token.isCancellationRequested ? undefined : answer;
    } catch (e) {
      if (source.token.isCancellationRequested) return undefined;
      throw e;
    } finally {
      if (this.#asking.get(kind) === source) this.#asking.delete(kind);
      source.dispose();
    }
  }

  async #tellVersions(): Promise<void> {
    // A panel that is not seen is told when it is: its page is made anew then and asks.
    if (!this.#panel.visible) return;
    const root = this.#root;
    const question = {
      service: "versions.list",
      params: {},
      ...(root === undefined ? {} : { root }),
    } as const;
    const answer = await askEngine(this.#deps.server, question);
    let state: EvidenceState;
    if (answer.type === "none") state = { type: "empty", cause: answer.cause, advice: answer.advice };
    else if (answer.value.length === 0)
      state = {
        type: "empty",
        cause: "The archive has no rollouts yet.",
        advice: "They appear here while a version trains, or after you run “evotrainer import”.",
      };
    else {
      this.#root = answer.root;
      state = { type: "versions", versions: answer.value, root: answer.root };
    }
    this.#post({ protocol: evidenceProtocol, type: "state", state });
  }

  #post(message: ToEvidencePanel): void {
    this.#panel.post(message);
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#panel.dispose();
  }
}

const refused = ({ cause, advice }: { cause: string; advice: string }) => ({
  type: "refused" as const,
  message: `${cause} ${advice}`.trim(),
});
