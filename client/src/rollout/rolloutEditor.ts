import { userInfo } from "node:os";
import { basename, isAbsolute, join } from "node:path";
import * as vscode from "vscode";
import {
  FromRolloutView,
  mostAligned,
  rolloutProtocol,
  spoilingOf,
  type AlignedRollout,
  type RolloutFocus,
  type ShownRollout,
  type RolloutKey,
  type RolloutState,
  type ToRolloutView,
} from "../../../shared/protocol/views/rollout.ts";
import { askEngine, valueOf } from "../connection/engineAnswer.ts";
import { pageAnswer } from "../connection/pageAnswer.ts";
import type { ListPlace, OpenAt } from "../evidence/evidencePanel.ts";
import type { Server } from "../connection/languageClient.ts";
import { addExample } from "./addExample.ts";
import { exportRollout } from "./exportRollout.ts";
import { rolloutOf, rolloutUri } from "./rolloutUri.ts";
import { posterOf } from "../page/posterOf.ts";
import { receiveMessages } from "../page/receiveMessages.ts";
import { panelIcon, showPage } from "../page/webviewPage.ts";
import { KnownFailure } from "../shell/failures.ts";

export const rolloutEditorType = "evotrainer.rollout";

type Dependencies = {
  readonly extensionUri: vscode.Uri;
  readonly server: Server;
  readonly log: vscode.LogOutputChannel;
  readonly compare: (root: string, shown: ShownRollout) => unknown;
  readonly showEvidence: (query: { version: string; item: string }, root: string) => unknown;
};
type RolloutDocument = vscode.CustomDocument & {
  readonly key: RolloutKey;
  readonly focus: RolloutFocus | null;
};

/** From which list a rollout was opened, as long as the window is open; of so many of the last. */
const places = new Map<string, ListPlace>();
const mostPlaces = 200;
const placeKey = ({ root, within, id }: RolloutKey): string => JSON.stringify([root, within, id]);

/** Opens a rollout in the reader. */
export async function openRollout(key: RolloutKey, { beside, focus, from }: OpenAt): Promise<void> {
  places.delete(placeKey(key));
  if (from !== undefined) places.set(placeKey(key), from);
  const [oldest] = places.keys();
  if (places.size > mostPlaces && oldest !== undefined) places.delete(oldest);
  await vscode.commands.executeCommand("vscode.openWith", rolloutUri(key, focus), rolloutEditorType, {
    viewColumn: beside ? vscode.ViewColumn.Beside : vscode.ViewColumn.Active,
    preview: true,
  });
}

/** The reader of one trajectory. A document is only an address; what it shows is fetched whenever the page asks. */
export class RolloutEditor implements vscode.CustomReadonlyEditorProvider<RolloutDocument> {
  readonly #deps: Dependencies;
  constructor(deps: Dependencies) {
    this.#deps = deps;
  }

  openCustomDocument(uri: vscode.Uri): RolloutDocument {
    const found = rolloutOf(uri);
    if (!found) throw new KnownFailure(`${uri.toString(true)} is not the address of a rollout.`);
    return { uri, ...found, dispose: () => undefined };
  }

  resolveCustomEditor({ key, focus }: RolloutDocument, panel: vscode.WebviewPanel): void {
    const { extensionUri, log } = this.#deps;
    const reader = new Reader(this.#deps, key, focus, posterOf(panel));
    panel.iconPath = panelIcon(extensionUri);
    receiveMessages(panel.webview, {
      log,
      view: "rollout",
      title: "Rollout",
      messages: () => FromRolloutView,
      receive: (message) => reader.receive(message),
    });
    showPage(panel.webview, extensionUri, "rollout", key.id);
  }
}

/** A rollout as a column beside others. */
const columnOf = ({ version, rollout, labels, diagnostics }: ShownRollout): AlignedRollout => ({
  run: rollout.run,
  id: rollout.id,
  version,
  outcome: rollout.outcome,
  reward: rollout.reward,
  labels: labels.map(({ label }) => label),
  spoiledBy: spoilingOf({ diagnostics }),
  turns: rollout.turns,
});

/** One open rollout. */
class Reader {
  readonly #deps: Dependencies;
  readonly #key: RolloutKey;
  readonly #focus: RolloutFocus | null;
  readonly #post: (message: ToRolloutView) => void;
  #shown: ShownRollout | undefined;
  /** What a person says of labels, one after the other: what was said last is written last. */
  #saying: Promise<unknown> = Promise.resolve();

  constructor(
    deps: Dependencies,
    key: RolloutKey,
    focus: RolloutFocus | null,
    post: (message: ToRolloutView) => void,
  ) {
    this.#deps = deps;
    this.#key = key;
    this.#focus = focus;
    this.#post = post;
  }

  async receive(message: FromRolloutView): Promise<void> {
    switch (message.type) {
      case "ready":
        this.#post({ protocol: rolloutProtocol, type: "state", state: await this.#state() });
        return;
      case "copy":
        await vscode.env.clipboard.writeText(message.text);
        return;
      case "openDiagnostic":
        return this.#openDiagnostic(message.label);
      case "openSource":
        return this.#openSource();
      case "showItem":
        if (this.#shown)
          await this.#deps.showEvidence(
            { version: this.#shown.version, item: this.#shown.rollout.item },
            this.#key.root,
          );
        return;
      case "step":
        return this.#step(message.by);
      case "align":
        return this.#align();
      case "openOther":
        await openRollout({ root: this.#key.root, within: message.run, id: message.id }, { beside: false });
        return;
      case "compare":
        if (this.#shown) await this.#deps.compare(this.#key.root, this.#shown);
        return;
      case "label":
        return this.#inTurn(() => this.#label(message.label, message.labelled));
      case "note":
        return this.#note(message.note);
      case "export":
        if (this.#shown) await exportRollout(this.#key.root, this.#shown);
        return;
      case "example":
        if (this.#shown) {
          const { run, id } = this.#shown.rollout;
          const { label, expect } = message;
          await addExample(this.#deps.server, {
            root: this.#key.root,
            rollout: `${run}/${id}`,
            label,
            expect,
          });
        }
        return;
    }
  }

  async #state(): Promise<RolloutState> {
    const { root, within, id } = this.#key;
    const question = { root, service: "rollouts.show", params: { within, id } } as const;
    const { server, log } = this.#deps;
    const answer = await pageAnswer(log, "Rollout", () => askEngine(server, question));
    if (answer.type === "none")
      return { type: "missing", message: `${answer.cause} ${answer.advice}`.trim() };
    this.#shown = answer.value;
    const from = places.get(placeKey(this.#key));
    const place = from === undefined ? {} : { place: { at: from.at, of: from.of } };
    return { type: "rollout", shown: answer.value, focus: this.#focus, ...place };
  }

  /** Opens the neighbour in the list that this rollout was opened from. */
  async #step(by: -1 | 1): Promise<void> {
    const { root } = this.#key;
    const from = places.get(placeKey(this.#key));
    if (from === undefined || from.at + by < 0) return;
    const at = from.at + by;
    const params = { ...from.query, offset: at, limit: 1 };
    const { rollouts, rows } = valueOf(
      await askEngine(this.#deps.server, { root, service: "rollouts.window", params }),
    );
    const [next] = rollouts;
    if (next === undefined) {
      void vscode.window.showInformationMessage("The list ends here.");
      return;
    }
    const place = { ...from, at, of: rows ?? from.of };
    await openRollout({ root, within: next.run, id: next.id }, { beside: false, from: place });
  }

  /** Tells the page the rollouts of the same item in the same version, this one first. */
  async #align(): Promise<void> {
    const { root } = this.#key;
    const shown = this.#shown;
    if (shown === undefined) return;
    const { rollout, version } = shown;
    const { split, item } = rollout;
    // The audit split is sealed: no other rollout of it can be listed.
    const page =
      split === "audit"
        ? { rollouts: [] }
        : valueOf(
            await askEngine(this.#deps.server, {
              root,
              service: "rollouts.list",
              params: { version, split, item, limit: mostAligned },
            }),
          );
    const others = page.rollouts.filter(({ run, id }) => run !== rollout.run || id !== rollout.id);
    if (others.length === 0) {
      void vscode.window.showInformationMessage(`There is no other rollout of ${item} in ${version}.`);
      return;
    }
    const rollouts = [columnOf(shown)];
    for (const { run, id } of others.slice(0, mostAligned - 1)) {
      const params = { within: run, id };
      const one = await askEngine(this.#deps.server, { root, service: "rollouts.show", params });
      if (one.type === "answer") rollouts.push(columnOf(one.value));
    }
    this.#post({ protocol: rolloutProtocol, type: "aligned", rollouts });
  }

  async #openDiagnostic(label: string): Promise<void> {
    const path = this.#shown?.diagnostics.find(({ name }) => name === label)?.path;
    if (path === undefined) {
      void vscode.window.showInformationMessage(`No diagnostic of this project sets ${label} any more.`);
      return;
    }
    const own = vscode.Uri.file(join(this.#key.root, path));
    const isOwn = await vscode.workspace.fs.stat(own).then(
      () => true,
      () => false,
    );
    const shipped = ["dist", "library", "diagnostics", basename(path)];
    const uri = isOwn ? own : vscode.Uri.joinPath(this.#deps.extensionUri, ...shipped);
    await vscode.window.showTextDocument(uri, { viewColumn: vscode.ViewColumn.Beside });
  }

  async #openSource(): Promise<void> {
    const source = this.#shown?.source;
    if (!source) return;
    const uri = vscode.Uri.file(
      isAbsolute(source.path) ? source.path : join(this.#key.root, ".evotrainer", "runs", source.path),
    );
    const at = new vscode.Position(source.line - 1, 0);
    await vscode.window.showTextDocument(uri, { selection: new vscode.Range(at, at) });
  }

  async #note(note: string): Promise<void> {
    if (!this.#shown) return;
    const { run, id } = this.#shown.rollout;
    const params = { run, id, note, by: userInfo().username };
    const question = { root: this.#key.root, service: "rollouts.note", params } as const;
    const written = valueOf(await askEngine(this.#deps.server, question));
    this.#post({ protocol: rolloutProtocol, type: "noted", note: written });
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#saying.then(work);
    this.#saying = done.catch(() => undefined);
    return done;
  }

  /** What a person says stands beside what the diagnostic says, and judges are held against it. */
  async #label(label: string, labelled: boolean): Promise<void> {
    if (!this.#shown) return;
    const { version, rollout } = this.#shown;
    const params = { version, run: rollout.run, id: rollout.id, label, labelled, by: userInfo().username };
    const question = { root: this.#key.root, service: "rollouts.label", params } as const;
    valueOf(await askEngine(this.#deps.server, question));
    const asked = { root: this.#key.root, service: "rollouts.people" as const, params: { labels: [label] } };
    const { people } = valueOf(await askEngine(this.#deps.server, asked));
    this.#post({ protocol: rolloutProtocol, type: "said", label, labelled, people });
  }
}
