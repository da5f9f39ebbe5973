import * as vscode from "vscode";
import type { EvidenceReveal } from "../../../shared/protocol/views/evidence.ts";
import {
  FromVersionPanel,
  placeOf,
  versionProtocol,
  type ComparedPair,
  type PanelQuestion,
  type PartAnswer,
  type ToVersionPanel,
} from "../../../shared/protocol/views/version.ts";
import { askEngine, askVersion, mapAnswer, type Answer } from "../connection/engineAnswer.ts";
import type { Server } from "../connection/languageClient.ts";
import { askExamples } from "./examples.ts";
import { SinglePanel } from "../page/singlePanel.ts";

/** Flips for which it is looked up where their rollouts part: each is two rollouts with all their text. */
const divergences = 20;

type RolloutName = { readonly run: string; readonly id: string };
type Dependencies = {
  readonly extensionUri: vscode.Uri;
  readonly server: Server;
  readonly log: vscode.LogOutputChannel;
  readonly showEvidence: (query: EvidenceReveal, root: string | undefined) => unknown;
  readonly openRollout: (
    root: string | undefined,
    rollout: RolloutName & { label?: string; turn?: number },
  ) => unknown;
  readonly compareRollouts: (root: string | undefined, a: RolloutName, b: RolloutName) => unknown;
  readonly openDiff: (
    root: string | undefined,
    what: { version: string; against?: string; path?: string },
  ) => unknown;
  readonly showLineage: (root: string | undefined, name: string) => unknown;
  /** Asks a person for a version of a project. */
  readonly choose: (root: string | undefined, title: string) => Promise<string | undefined>;
  readonly changed: vscode.Event<unknown>;
};

/** The panel that shows a version beside its parent, or several beside each other. */
export class VersionPanel implements vscode.Disposable {
  readonly #deps: Dependencies;
  readonly #panel: SinglePanel<ToVersionPanel, typeof FromVersionPanel>;
  readonly #subscription: vscode.Disposable;
  /** Questions on their way, by part (and version where each has one): a later one takes the place of an earlier one. */
  readonly #asking = new Map<string, vscode.CancellationTokenSource>();
  #toShow: { readonly root: string | undefined; readonly names: readonly string[] } | undefined;

  constructor(deps: Dependencies) {
    this.#deps = deps;
    this.#panel = new SinglePanel({
      extensionUri: deps.extensionUri,
      log: deps.log,
      type: "evotrainer.version",
      view: "version",
      title: "Version",
      messages: () => FromVersionPanel,
      receive: (message) => this.#receive(message),
      closed: () => {
        for (const source of this.#asking.values()) source.cancel();
      },
    });
    this.#subscription = deps.changed(() => this.#post({ protocol: versionProtocol, type: "changed" }));
  }

  /** Shows one version beside its parent, or several beside each other. */
  show(names: readonly string[], root: string | undefined): void {
    this.#toShow = { names, root };
    if (this.#panel.visible) this.#tell();
    this.#panel.show();
  }

  #tell(): void {
    if (this.#toShow === undefined || !this.#panel.visible) return;
    const { names, root } = this.#toShow;
    this.#toShow = undefined;
    this.#post({ protocol: versionProtocol, type: "show", root: root ?? null, names: [...names] });
  }

  async #receive(message: FromVersionPanel): Promise<void> {
    const { showEvidence, openRollout, compareRollouts, openDiff, showLineage, choose } = this.#deps;
    switch (message.type) {
      case "ready":
        this.#tell();
        return;
      case "ask":
        return this.#answer(message.id, message.root ?? undefined, message.question);
      case "title":
        this.#panel.title = message.names.join(" ↔ ") || "Version";
        return;
      case "evidence":
        await showEvidence(message.query, message.root ?? undefined);
        return;
      case "rollout":
        await openRollout(message.root ?? undefined, message);
        return;
      case "rollouts":
        await compareRollouts(message.root ?? undefined, message.a, message.b);
        return;
      case "diff":
        await openDiff(message.root ?? undefined, message);
        return;
      case "lineage":
        await showLineage(message.root ?? undefined, message.name);
        return;
      case "add": {
        const root = message.root ?? undefined;
        const name = await choose(root, "Show beside");
        if (name === undefined) return;
        this.show([...new Set([...message.names, name])], root);
        return;
      }
    }
  }

  async #answer(id: number, root: string | undefined, question: PanelQuestion): Promise<void> {
    const key = placeOf(question);
    this.#asking.get(key)?.cancel();
    const source = new vscode.CancellationTokenSource();
    this.#asking.set(key, source);
    try {
      const answer = await this.#ask(root, question, source.token);
      if (source.token.isCancellationRequested) return;
      this.#post(
        answer.type === "answer"
          ? { protocol: versionProtocol, type: "answer", id, answer: answer.value }
          : {
              protocol: versionProtocol,
              type: "refused",
              id,
              message: `${answer.cause} ${answer.advice}`.trim(),
            },
      );
    } catch (e) {
      if (source.token.isCancellationRequested) return;
      // A part that fails says so in its place; the others are not affected.
      this.#deps.log.error("[version]", e instanceof Error ? (e.stack ?? e.message) : String(e));
      const message = e instanceof Error ? e.message : String(e);
      this.#post({ protocol: versionProtocol, type: "refused", id, message });
    } finally {
      if (this.#asking.get(key) === source) this.#asking.delete(key);
      source.dispose();
    }
  }

  async #ask(
    root: string | undefined,
    question: PanelQuestion,
    token: vscode.CancellationToken,
  ): Promise<Answer<PartAnswer>> {
    const { server } = this.#deps;
    const at = root === undefined ? {} : { root };
    switch (question.part) {
      case "version": {
        const { part, version } = question;
        const found = await askVersion(server, { ...at, question: { ask: "report", version } });
        return mapAnswer(found, (value) => ({ part, value }));
      }
      case "change": {
        const { part, version, against } = question;
        const found = await askVersion(server, { ...at, question: { ask: "change", version, against } });
        return mapAnswer(found, (value) => ({ part, value }));
      }
      case "diagnosed": {
        const { part, version } = question;
        const asked = { ...at, service: "versions.diagnose", params: { version } } as const;
        return mapAnswer(await askEngine(server, asked, token), (value) => ({ part, value }));
      }
      case "people": {
        const { part } = question;
        const asked = { ...at, service: "rollouts.people", params: {} } as const;
        return mapAnswer(await askEngine(server, asked, token), ({ people }) => ({ part, value: people }));
      }
      case "comparison": {
        const { part, a, b } = question;
        const asked = { ...at, service: "versions.compare", params: { a, b, divergences } } as const;
        return mapAnswer(await askEngine(server, asked, token), (value) => ({ part, value }));
      }
      case "pairs": {
        const { part, versions } = question;
        const found: ComparedPair[] = [];
        for (const [i, a] of versions.entries())
          for (const b of versions.slice(i + 1)) found.push(await this.#comparedPair(at, { a, b }, token));
        return { type: "answer", root: root ?? "", value: { part, value: found } };
      }
      case "labels": {
        const { part, a, b } = question;
        const asked = { ...at, service: "versions.labels", params: { a, b } } as const;
        return mapAnswer(await askEngine(server, asked, token), (value) => ({ part, value }));
      }
      case "examples":
        return askExamples(server, { root, question }, token);
      case "flow": {
        const { part, a, b, by } = question;
        const asked = { ...at, service: "versions.flow", params: { a, b, by } } as const;
        return mapAnswer(await askEngine(server, asked, token), (value) => ({ part, value }));
      }
      case "curves": {
        const { part, versions, names } = question;
        const params = { versions, ...(names === null ? {} : { names }) };
        const asked = { ...at, service: "metrics.series", params } as const;
        return mapAnswer(await askEngine(server, asked, token), (value) => ({ part, value }));
      }
      case "rewards": {
        const { part, versions } = question;
        const asked = { ...at, service: "versions.rewards", params: { versions } } as const;
        return mapAnswer(await askEngine(server, asked, token), (value) => ({ part, value }));
      }
      case "predictions": {
        const { part, version } = question;
        const asked = { ...at, service: "lineage.predictions", params: { version } } as const;
        return mapAnswer(await askEngine(server, asked, token), (value) => ({ part, value }));
      }
    }
  }

  async #comparedPair(
    at: { root?: string },
    pair: { readonly a: string; readonly b: string },
    token: vscode.CancellationToken,
  ): Promise<ComparedPair> {
    const asked = { ...at, service: "versions.compare", params: pair } as const;
    const answer = await askEngine(this.#deps.server, asked, token);
    return answer.type === "answer"
      ? { ...pair, found: answer.value, refused: null }
      : { ...pair, found: null, refused: `${answer.cause} ${answer.advice}`.trim() };
  }

  #post(message: ToVersionPanel): void {
    this.#panel.post(message);
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#panel.dispose();
  }
}
