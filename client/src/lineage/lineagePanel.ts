import * as vscode from "vscode";
import type { SeedScores, VersionItems } from "../../../shared/protocol/results/items.ts";
import {
  FromLineagePanel,
  lineageProtocol,
  type ItemCell,
  type LineageAction,
  type LineagePage,
  type LineageStanding,
  type ToLineagePanel,
} from "../../../shared/protocol/views/lineage.ts";
import type { LabelByPeople } from "../../../shared/protocol/results/people.ts";
import type { NoteKind } from "../../../shared/model/noteKinds.ts";
import type { LineageTable } from "../../../shared/protocol/views/lineageTable.ts";
import type { Answer } from "../connection/engineAnswer.ts";
import { pageAnswer } from "../connection/pageAnswer.ts";
import { guarded } from "../shell/commands.ts";
import { SinglePanel } from "../page/singlePanel.ts";
import type { LineageSource } from "./lineageSource.ts";

type Dependencies = {
  readonly extensionUri: vscode.Uri;
  readonly source: LineageSource;
  readonly log: vscode.LogOutputChannel;
  readonly act: (action: LineageAction) => unknown;
  readonly selected: (name: string) => unknown;
  readonly compare: (names: readonly string[]) => unknown;
  readonly showEvidence: (name: string, label: string | null) => unknown;
  readonly note: (root: string | undefined, said: VersionNote) => unknown;
  /** The scores of the seeds of versions; none where the archive cannot be asked. */
  readonly seeds: (versions: readonly string[]) => Promise<readonly SeedScores[]>;
  /** What people's answers say of labels. */
  readonly people: () => Promise<readonly LabelByPeople[]>;
  readonly items: (
    versions: readonly string[],
    token: vscode.CancellationToken,
  ) => Promise<Answer<VersionItems>>;
  readonly openCells: (cells: readonly ItemCell[]) => unknown;
  readonly openJob: (id: string) => unknown;
  readonly openJobs: () => unknown;
  readonly openGate: (version: string) => unknown;
};

/** What a person says of a version. */
export type VersionNote = { readonly name: string; readonly what: NoteKind; readonly value: string };

/** Seeds of more versions are not drawn. */
const mostSeeds = 400;

/** The panel that draws the lineage: it is told the versions in pages, and after that what changes. */
export class LineagePanel implements vscode.Disposable {
  readonly #deps: Dependencies;
  readonly #panel: SinglePanel<ToLineagePanel, typeof FromLineagePanel>;
  readonly #subscriptions: readonly vscode.Disposable[];
  /** Shown as soon as the page is ready. */
  #toReveal: string | undefined;
  #standing: LineageStanding = { running: [], waiting: [] };
  /** The question for items on its way: a later one takes its place. */
  #asking: vscode.CancellationTokenSource | undefined;
  /** Questions for what the archive knows besides; an answer that a later one has overtaken is dropped. */
  #besides = 0;

  constructor(deps: Dependencies) {
    this.#deps = deps;
    const { source, extensionUri, log } = deps;
    this.#panel = new SinglePanel({
      extensionUri,
      log,
      type: "evotrainer.lineage",
      view: "lineage",
      title: "Lineage",
      messages: () => FromLineagePanel,
      receive: (message) => this.#receive(message),
    });
    this.#subscriptions = [
      source.onPage((page) => this.#tellPage(page)),
      source.onDidChange((state) => {
        if (state.type !== "lineage") this.#panel.post({ protocol: lineageProtocol, type: "absent", state });
        else void guarded(log, "Lineage panel", () => this.#tellBeside());
      }),
    ];
  }

  /** Opens the panel or brings it to the front, at one version if a name is given. */
  show(name?: string): void {
    if (!this.#panel.visible) this.#toReveal = name;
    else if (name !== undefined) this.#panel.post({ protocol: lineageProtocol, type: "reveal", name });
    this.#panel.show();
  }

  /** Tells what runs, or what waits for a person; the other stays as it was. */
  tellStanding(part: Partial<LineageStanding>): void {
    const next = { ...this.#standing, ...part };
    // Jobs are read again and again, and most of the time nothing moved.
    if (JSON.stringify(next) === JSON.stringify(this.#standing)) return;
    this.#standing = next;
    this.#panel.post({ protocol: lineageProtocol, type: "standing", standing: next });
  }

  #receive(message: FromLineagePanel): unknown {
    const { act, selected, compare, showEvidence, openCells, openJob, openJobs, openGate } = this.#deps;
    switch (message.type) {
      case "ready":
        this.#tellAll();
        return this.#tellBeside();
      case "select":
        return selected(message.name);
      case "compare":
        return compare(message.names);
      case "evidence":
        return showEvidence(message.name, message.label);
      case "note":
        return this.#note(message);
      case "action":
        return act(message.action);
      case "items":
        return this.#tellItems(message.id, message.versions);
      case "cells":
        return openCells(message.cells);
      case "job":
        return openJob(message.id);
      case "jobs":
        return openJobs();
      case "gate":
        return openGate(message.name);
    }
  }

  async #note(message: Extract<FromLineagePanel, { type: "note" }>): Promise<void> {
    const { name, what, value, root = this.#deps.source.root } = message;
    try {
      await this.#deps.note(root, { name, what, value });
    } catch (e) {
      const of = root === undefined ? {} : { root };
      if (what !== "untag")
        this.#panel.postKept({ protocol: lineageProtocol, type: "refusedNote", ...of, name, value });
      throw e;
    }
  }

  #tellPage(page: LineagePage): void {
    const { root } = this.#deps.source;
    const of = root === undefined ? {} : { root };
    this.#panel.post({ protocol: lineageProtocol, type: "page", ...of, page });
  }

  async #tellItems(id: number, versions: readonly string[]): Promise<void> {
    this.#asking?.cancel();
    const asking = new vscode.CancellationTokenSource();
    this.#asking = asking;
    const { items, log } = this.#deps;
    const answer = await pageAnswer(log, "Items", () => items(versions, asking.token));
    if (this.#asking !== asking) return;
    this.#panel.post({
      protocol: lineageProtocol,
      type: "items",
      id,
      answer:
        answer.type === "answer"
          ? { type: "items", items: answer.value }
          : { type: "refused", message: `${answer.cause} ${answer.advice}`.trim() },
    });
  }

  /** What the archive knows of the versions besides what the lineage says. */
  async #tellBeside(): Promise<void> {
    const { state } = this.#deps.source;
    if (state.type !== "lineage" || !this.#panel.visible) return;
    const asked = ++this.#besides;
    const isLate = (): boolean => asked !== this.#besides;
    await Promise.all([this.#tellSeeds(state.table, isLate), this.#tellPeople(isLate)]);
  }

  /** Told once more when there is nothing left to tell: an answer may have been taken back. */
  async #tellPeople(isLate: () => boolean): Promise<void> {
    const people = [...(await this.#deps.people())];
    if (isLate()) return;
    this.#panel.post({ protocol: lineageProtocol, type: "people", people });
  }

  async #tellSeeds(table: LineageTable, isLate: () => boolean): Promise<void> {
    const names = table.name.filter((_, i) => !Number.isNaN(table.score[i] ?? NaN)).slice(-mostSeeds);
    if (names.length === 0) return;
    const versions = [...(await this.#deps.seeds(names))];
    if (isLate()) return;
    this.#panel.post({ protocol: lineageProtocol, type: "seeds", versions });
  }

  #tellAll(): void {
    const { source } = this.#deps;
    if (source.state.type === "lineage") for (const page of source.pages) this.#tellPage(page);
    else this.#panel.post({ protocol: lineageProtocol, type: "absent", state: source.state });
    this.#panel.post({ protocol: lineageProtocol, type: "standing", standing: this.#standing });
    const name = this.#toReveal;
    this.#toReveal = undefined;
    if (name !== undefined) this.#panel.post({ protocol: lineageProtocol, type: "reveal", name });
  }

  dispose(): void {
    this.#asking?.cancel();
    for (const subscription of this.#subscriptions) subscription.dispose();
    this.#panel.dispose();
  }
}
