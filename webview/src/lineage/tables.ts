import type { VersionItems } from "../../../shared/protocol/results/items.ts";
import type { LineageLayout, ToLineagePanel } from "../../../shared/protocol/views/lineage.ts";
import type { LineageTable } from "../../../shared/protocol/views/lineageTable.ts";
import type { LabelByPeople } from "../../../shared/protocol/results/people.ts";
import { peopleSaid } from "../../../shared/words/people.ts";
import { element, linkButton } from "../shared/dom.ts";
import { countedText, countText } from "../shared/numbers.ts";
import { visibleLine } from "../shared/visibleText.ts";
import { itemMatrix, type MarkedCell } from "./itemMatrix.ts";
import { labelMatrix, mostColumns, type LabelMatrix } from "./labelMatrix.ts";
import { Matrix } from "./matrix.ts";

export type TablesHandlers = {
  readonly open: (version: string) => void;
  readonly evidence: (version: string, label: string) => void;
  /** Asks for the items of versions; the answer comes with the same number. */
  readonly ask: (id: number, versions: readonly string[]) => void;
  /** Opens the rollouts of one cell, or those of two beside each other. */
  readonly cells: (cells: readonly MarkedCell[]) => void;
};
export type ShownInTables = {
  readonly shown: readonly number[];
  /** Another one where the versions may have changed. */
  readonly stamp: number;
  /** What people's answers say of labels. */
  readonly people: readonly LabelByPeople[];
};
type Answer = Extract<ToLineagePanel, { type: "items" }>["answer"];

/** The tables of versions: labels by version, and items by version. */
export class VersionTables {
  readonly node = element("section", "tables");
  readonly #on: TablesHandlers;
  readonly #note = element("p", "quiet about");
  readonly #said = element("p", "quiet about");
  readonly #peopleSaid = element("ul", "quiet about people");
  readonly #matrix: Matrix;
  #kind: LineageLayout = "graph";
  #table: LineageTable | undefined;
  #shown: readonly number[] = [];
  #people: readonly LabelByPeople[] = [];
  #labels: LabelMatrix | undefined;
  #items: VersionItems | null = null;
  #refused: string | null = null;
  #marked: MarkedCell | null = null;
  /** Of the last question: its number, and what it asked for. */
  #asked = { id: 0, what: "" };

  constructor(on: TablesHandlers) {
    this.#on = on;
    this.#said.setAttribute("role", "status");
    // Many of them scroll, which has to work by keys too.
    this.#peopleSaid.tabIndex = 0;
    this.#peopleSaid.setAttribute("aria-label", "How right labels are, by people's answers");
    this.#matrix = new Matrix({
      open: (row, column) => {
        const version = this.#versionAt(column);
        const label = this.#labels?.labels[row]?.name;
        const cell = this.#cellAt(row, column);
        if (this.#kind === "labels" && label !== undefined) on.evidence(version, label);
        else if (cell !== undefined) on.cells([cell]);
      },
      mark: (row, column) => this.#mark(this.#cellAt(row, column)),
      openColumn: (column) => on.open(this.#versionAt(column)),
    });
    this.node.append(this.#note, this.#said, this.#peopleSaid, this.#matrix.node);
  }

  update(kind: LineageLayout, table: LineageTable, { shown, stamp, people }: ShownInTables): void {
    const isTable = kind === "labels" || kind === "items";
    this.node.hidden = !isTable;
    [this.#kind, this.#table, this.#shown, this.#people] = [kind, table, shown, people];
    if (!isTable) return;
    if (kind === "items") this.#ask(stamp);
    this.#draw();
  }

  /** An answer to an earlier question is dropped. */
  take(id: number, answer: Answer): void {
    if (id !== this.#asked.id) return;
    this.#items = answer.type === "items" ? answer.items : null;
    this.#refused = answer.type === "refused" ? answer.message : null;
    // Nothing else may change before it can be answered: what is drawn next asks again.
    if (answer.type === "refused") this.#asked = { id, what: "" };
    if (this.#kind === "items") this.#draw();
  }

  #ask(stamp: number): void {
    const scored = this.#shown
      .filter((i) => !Number.isNaN(this.#table?.score[i] ?? NaN))
      .sort((a, b) => a - b);
    const versions = scored.slice(-mostColumns).map((i) => this.#table?.name[i] ?? "");
    const what = `${stamp} ${versions.join(" ")}`;
    if (what === this.#asked.what) return;
    this.#asked = { id: this.#asked.id + 1, what };
    if (versions.length > 0) this.#on.ask(this.#asked.id, versions);
    else [this.#items, this.#refused] = [null, "No version that is shown has been measured yet."];
  }

  #versionAt(column: number): string {
    const versions = this.#kind === "labels" ? this.#labels?.versions : this.#items?.versions;
    return versions?.[column] ?? "";
  }

  #cellAt(row: number, column: number): MarkedCell | undefined {
    const item = this.#items?.items[row]?.item;
    return this.#kind !== "items" || item === undefined
      ? undefined
      : { version: this.#versionAt(column), item };
  }

  /** A second marked cell is compared with the first. */
  #mark(cell: MarkedCell | undefined): void {
    if (cell === undefined) return;
    const first = this.#marked;
    const isSame = first !== null && first.item === cell.item && first.version === cell.version;
    this.#marked = first === null ? cell : null;
    if (first !== null && !isSame) this.#on.cells([first, cell]);
    this.#draw();
  }

  #draw(): void {
    if (this.#table === undefined) return;
    if (this.#kind === "labels") this.#drawLabels(this.#table);
    else this.#drawItems(this.#table);
  }

  #drawLabels(table: LineageTable): void {
    const matrix = labelMatrix(table, this.#shown, this.#people);
    this.#labels = matrix;
    const lines = peopleSaid(matrix.people);
    this.#peopleSaid.hidden = lines.length === 0;
    this.#peopleSaid.replaceChildren(...lines.map((line) => element("li", "", line)));
    this.#matrix.node.hidden = matrix.labels.length === 0;
    this.#said.hidden = true;
    this.#note.textContent =
      matrix.labels.length === 0
        ? "No diagnostic labels a rollout of the versions that are shown."
        : `Share of the rollouts with each label. ‼: over a critical threshold, or what the version was not kept for; △: over a warning threshold. “+1”: another label is on the same rollouts, or on nearly the same. A cell opens its rollouts.${olderText(matrix.older)}`;
    if (matrix.labels.length > 0) this.#matrix.update(matrix.model);
  }

  #drawItems(table: LineageTable): void {
    const items = this.#items;
    const isThere = items !== null && items.items.length > 0;
    this.#matrix.node.hidden = !isThere;
    this.#peopleSaid.hidden = true;
    this.#note.textContent = isThere
      ? `Passed of all rollouts with a known outcome, ${items.split} split. ⇄: how often the answer changed from version to version. A cell opens its rollouts; Space or Ctrl+click marks one, and a second one is compared with it.${items.total > items.items.length ? ` The first ${countText(items.items.length)} of ${countedText(items.total, "item")}.` : ""}`
      : (this.#refused ?? (items === null ? "Counting…" : "The archive has no rollouts of these versions."));
    this.#said.hidden = this.#marked === null;
    this.#said.replaceChildren();
    if (this.#marked !== null)
      this.#said.append(
        `Marked: ${visibleLine(this.#marked.item)} in ${visibleLine(this.#marked.version)} `,
        linkButton("unmark", () => this.#mark(this.#marked ?? undefined)),
      );
    if (isThere) this.#matrix.update(itemMatrix(items, table, this.#marked));
  }
}

const olderText = (older: number): string =>
  older === 0 ? "" : ` ${countedText(older, "older version")} not shown.`;
