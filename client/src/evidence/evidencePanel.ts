import * as vscode from "vscode";
import {
  evidenceProtocol,
  FromEvidencePanel,
  type EvidenceQuery,
  type EvidenceReveal,
  type EvidenceState,
  type LabelsSet,
  type ToEvidencePanel,
} from "../../../shared/protocol/views/evidence.ts";
import type { ServiceParams, ServiceResult } from "../../../shared/protocol/editorServices.ts";
import { exportList } from "./exportList.ts";
import { Labelling, type LabelScope } from "./labelling.ts";
import type { RolloutFocus } from "../../../shared/protocol/views/rollout.ts";
import { askEngine, type Answer } from "../connection/engineAnswer.ts";
import { loggedFailure, pageAnswer } from "../connection/pageAnswer.ts";
import type { Server } from "../connection/languageClient.ts";
import type { ProjectChoice } from "../project/projectChoice.ts";
import { SinglePanel } from "../page/singlePanel.ts";
import { guarded } from "../shell/commands.ts";
import { failureMessage } from "../shell/failures.ts";

type Dependencies = {
  readonly extensionUri: vscode.Uri;
  readonly server: Server;
  readonly project: Pick<ProjectChoice, "current" | "onDidChange">;
  readonly log: vscode.LogOutputChannel;
  readonly openRollout: (key: { root: string; within: string; id: string }, at: OpenAt) => unknown;
};
/** A place in a list of rollouts; `of` is how many it has, if that is known. */
export type ListPlace = { readonly query: EvidenceQuery; readonly at: number; readonly of: number | null };
export type OpenAt = { readonly beside: boolean; readonly focus?: RolloutFocus; readonly from?: ListPlace };

/** The panel that lists rollouts. It holds nothing but the way to the engine; closed or torn down, it asks again. */
export class EvidencePanel implements vscode.Disposable {
  readonly #deps: Dependencies;
  readonly #panel: SinglePanel<ToEvidencePanel, typeof FromEvidencePanel>;
  readonly #subscription: vscode.Disposable;
  /** Questions on their way, one of each kind: a later one takes the place of an earlier one. */
  readonly #asking = new Map<"page" | "groups", vscode.CancellationTokenSource>();
  readonly #labelling = new Labelling({
    stand: (of) => this.#stand(of),
    label: (of) => this.#label(of),
    done: ({ version, split = null }) =>
      this.#post({ protocol: evidenceProtocol, type: "labelled", version, split }),
    now: () => performance.now(),
  });
  #groupsAsked = 0;
  /** How many rollouts each version has, as a text. */
  #rollouts: ReadonlyMap<string, string> = new Map();
  #root: string | undefined;
  /** Told as soon as the page is there, with the versions that it is about. */
  #toReveal: EvidenceReveal | undefined;
  #told = 0;

  constructor(deps: Dependencies) {
    this.#deps = deps;
    this.#subscription = vscode.Disposable.from(
      deps.project.onDidChange(() => {
        this.#root = undefined;
        this.#labelling.forget();
      }),
      deps.server.onChange(() => this.#tellGuarded()),
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
        this.#labelling.stop();
      },
    });
  }

  /**
   * Opens the panel or brings it to the front, with a filter if one is given: of the project of whoever asks, and of the chosen
   * one where nothing else is meant.
   */
  show(query: EvidenceReveal | undefined, of: string | undefined): void {
    const root = of ?? this.#deps.project.current;
    const isOther = root !== this.#root;
    if (isOther) {
      this.#root = root;
      this.#labelling.forget();
    }
    const isSeen = this.#panel.visible;
    if (!isSeen || isOther) this.#toReveal = query;
    else if (query) {
      // What was to be shown before it is overtaken.
      this.#toReveal = undefined;
      this.#post({ protocol: evidenceProtocol, type: "reveal", query });
    }
    // Another project has other versions; a page that is not seen asks for them itself.
    if (isSeen && isOther) this.#tellGuarded();
    this.#panel.show();
  }

  #tellGuarded(): void {
    void guarded(this.#deps.log, "Evidence panel", () => this.#tellVersions());
  }

  async #receive(asked: FromEvidencePanel): Promise<void> {
    const { openRollout } = this.#deps;
    switch (asked.type) {
      case "refresh":
        // Diagnostics may have been edited.
        this.#labelling.forget();
        await this.#tellVersions();
        return;
      case "ready":
        await this.#tellVersions();
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
        // In this order: who is told that they are labelled was told of labels that are set.
        this.#groupsAsked = id;
        const labels = await this.#labelsOf(asked.query);
        if (this.#groupsAsked !== id) return;
        const answer = await this.#ask("groups", "rollouts.groups", params);
        if (answer === undefined) return;
        this.#post({
          protocol: evidenceProtocol,
          type: "groups",
          id,
          answer:
            answer.type === "answer" ? { type: "groups", groups: answer.value, labels } : refused(answer),
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
      const { server, log } = this.#deps;
      const answer = await pageAnswer(log, "Evidence", () => askEngine(server, question, source.token));
      return source.token.isCancellationRequested ? undefined : answer;
    } finally {
      if (this.#asking.get(kind) === source) this.#asking.delete(kind);
      source.dispose();
    }
  }

  async #labelsOf({ version, split }: EvidenceQuery): Promise<LabelsSet> {
    const of = { version, ...(split === undefined ? {} : { split }) };
    try {
      return await this.#labelling.stateOf(of, this.#rollouts.get(version) ?? "");
    } catch (e) {
      // What a parser or a bug says helps nobody who reads the page.
      return { type: "refused", message: failureMessage(loggedFailure(this.#deps.log, "Labelling", e)) };
    }
  }

  /** An evolution labels its versions itself. What was imported nobody has labelled, nor what is trained just now. */
  async #stand(of: LabelScope): Promise<boolean> {
    const { server } = this.#deps;
    const root = this.#root;
    if (root === undefined || !(await server.projects()).includes(root)) return false;
    const params = { ...of, by: "label", limit: 2 } as const;
    const answer = await askEngine(server, { root, service: "rollouts.groups", params });
    return answer.type === "answer" && answer.value.groups.some(({ value }) => value !== null);
  }

  async #label(of: LabelScope): Promise<string | undefined> {
    const root = this.#root;
    const at = root === undefined ? {} : { root };
    const answer = await askEngine(this.#deps.server, { ...at, service: "versions.diagnose", params: of });
    return answer.type === "answer" ? undefined : refused(answer).message;
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
    const told = ++this.#told;
    const answer = await pageAnswer(this.#deps.log, "Evidence", () => askEngine(this.#deps.server, question));
    // A later question, or one about another project, has overtaken this one.
    if (told !== this.#told || root !== this.#root) return;
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
      this.#rollouts = new Map(
        answer.value.map(({ version, train, selection }) => [version, `${train} ${selection}`]),
      );
      state = { type: "versions", versions: answer.value, root: answer.root };
    }
    this.#post({ protocol: evidenceProtocol, type: "state", state });
    this.#tellReveal();
  }

  #tellReveal(): void {
    if (this.#toReveal === undefined || !this.#panel.visible) return;
    this.#post({ protocol: evidenceProtocol, type: "reveal", query: this.#toReveal });
    this.#toReveal = undefined;
  }

  #post(message: ToEvidencePanel): void {
    this.#panel.post(message);
  }

  dispose(): void {
    this.#labelling.stop();
    this.#subscription.dispose();
    this.#panel.dispose();
  }
}

const refused = ({ cause, advice }: { cause: string; advice: string }) => ({
  type: "refused" as const,
  message: `${cause} ${advice}`.trim(),
});
