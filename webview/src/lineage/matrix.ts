import { decisionLooks } from "../../../shared/words/decisions.ts";
import { element } from "../shared/dom.ts";
import { signElement } from "../shared/outcomes.ts";
import { VirtualList, type Slot } from "../shared/virtualList.ts";

const rowHeight = 28;
/** Characters of a long name that are always shown. */
const tailLength = 8;

export type MatrixColumn = {
  readonly name: string;
  readonly title: string;
  /** Whether the version's numbers do not count. */
  readonly isVoid: boolean;
};
export type MatrixCell = {
  readonly text: string;
  readonly title: string;
  /** Drawn as a bar from the left, 0 to 1. */
  readonly share: number;
  /** A sign before the text, where the cell is over a threshold. */
  readonly sign?: string;
};
export type MatrixModel = {
  /** What the table is, for who cannot see it. */
  readonly label: string;
  readonly corner: string;
  /** Whether the cells of versions whose numbers do not count are struck out. */
  readonly strikes: boolean;
  readonly columns: readonly MatrixColumn[];
  readonly rows: number;
  readonly rowName: (row: number) => {
    readonly text: string;
    readonly aside: string;
    readonly title: string;
  };
  readonly cell: (row: number, column: number) => MatrixCell | null;
  readonly isMarked: (row: number, column: number) => boolean;
};
export type MatrixHandlers = {
  readonly open: (row: number, column: number) => void;
  readonly mark: (row: number, column: number) => void;
  readonly openColumn: (column: number) => void;
};

type RowSlot = Slot & { row: number; readonly head: HTMLElement; readonly cells: HTMLElement[] };

/**
 * A table of versions in which only the rows in view are elements. One tab stop: arrows move, Enter opens what the cell was
 * counted from, Space marks it.
 */
export class Matrix {
  readonly node = element("div", "matrix");
  readonly #on: MatrixHandlers;
  readonly #scroller = element("div", "sheet");
  readonly #head = element("div", "head");
  readonly #space = element("div", "space");
  readonly #list: VirtualList<RowSlot>;
  #model: MatrixModel | undefined;
  #row = 0;
  #column = 0;

  constructor(on: MatrixHandlers) {
    this.#on = on;
    const scroller = this.#scroller;
    scroller.tabIndex = 0;
    scroller.setAttribute("role", "grid");
    this.#head.setAttribute("role", "rowgroup");
    this.#space.setAttribute("role", "rowgroup");
    scroller.append(this.#head, this.#space);
    this.node.append(scroller);
    scroller.addEventListener("keydown", (event) => this.#pressed(event));
    this.#list = new VirtualList({
      scroller,
      space: this.#space,
      head: this.#head,
      rowHeight,
      make: () => this.#make(),
      fill: (slot, row) => this.#fill(slot, row),
      drawn: (first, end) => {
        const isThere = this.#row >= first && this.#row < end;
        if (isThere) scroller.setAttribute("aria-activedescendant", `cell-${this.#row}-${this.#column}`);
        else scroller.removeAttribute("aria-activedescendant");
      },
    });
  }

  update(model: MatrixModel): void {
    const before = this.#model;
    this.#model = model;
    const { corner, columns, rows, label } = model;
    const isOther =
      before === undefined ||
      before.corner !== corner ||
      columns.map(({ name }) => name).join() !== before.columns.map(({ name }) => name).join();
    this.#scroller.setAttribute("aria-label", label);
    this.#scroller.setAttribute("aria-rowcount", String(rows + 1));
    this.#scroller.setAttribute("aria-colcount", String(columns.length + 1));
    this.node.style.setProperty("--columns", String(columns.length));
    this.#row = Math.max(0, Math.min(rows - 1, this.#row));
    if (isOther) {
      this.#column = Math.max(0, columns.length - 1);
      this.#head.replaceChildren(this.#headRow(model));
    }
    this.#list.resize(rows);
    this.#list.update();
    // The newest versions are looked at first.
    if (isOther) this.#scroller.scrollLeft = this.#scroller.scrollWidth;
  }

  #headRow({ corner, columns }: MatrixModel): HTMLElement {
    const row = element("div", "row");
    row.setAttribute("role", "row");
    row.setAttribute("aria-rowindex", "1");
    const first = element("span", "name", corner);
    first.setAttribute("role", "columnheader");
    row.append(first);
    for (const [at, { name, title, isVoid }] of columns.entries()) {
      const cell = element("span", "cell");
      cell.setAttribute("role", "columnheader");
      const button = element("button", "link", isVoid ? `${decisionLooks.invalid.mark} ${name}` : name);
      button.type = "button";
      button.tabIndex = -1;
      button.title = title;
      button.addEventListener("click", () => this.#on.openColumn(at));
      cell.append(button);
      row.append(cell);
    }
    return row;
  }

  #make(): RowSlot {
    const node = element("div", "row");
    node.setAttribute("role", "row");
    const head = element("span", "name");
    head.setAttribute("role", "rowheader");
    node.append(head);
    const slot: RowSlot = { node, head, cells: [], row: -1 };
    node.addEventListener("click", (event) => {
      const cell = event.target instanceof Element ? event.target.closest(".cell") : null;
      const column = slot.cells.findIndex((known) => known === cell);
      if (column < 0 || this.#model?.cell(slot.row, column) == null) return;
      [this.#row, this.#column] = [slot.row, column];
      if (event.ctrlKey || event.metaKey) this.#on.mark(slot.row, column);
      else this.#on.open(slot.row, column);
      this.#list.update();
    });
    return slot;
  }

  #fill(slot: RowSlot, row: number): void {
    const model = this.#model;
    if (model === undefined) return;
    slot.row = row;
    slot.node.setAttribute("aria-rowindex", String(row + 2));
    const { text, aside, title } = model.rowName(row);
    // Of names that begin alike the end is what tells them apart.
    const tail = text.length > tailLength + 4 ? text.slice(-tailLength) : "";
    const name = element("span", "text");
    name.append(
      element("span", "start", text.slice(0, text.length - tail.length)),
      element("span", "tail", tail),
    );
    slot.head.replaceChildren(name);
    if (aside !== "") slot.head.append(element("span", "aside", aside));
    slot.head.title = title;
    while (slot.cells.length < model.columns.length) {
      const cell = element("span", "cell");
      cell.setAttribute("role", "gridcell");
      slot.cells.push(cell);
      slot.node.append(cell);
    }
    while (slot.cells.length > model.columns.length) slot.cells.pop()?.remove();
    for (const [column, node] of slot.cells.entries()) this.#fillCell(node, model, [row, column]);
  }

  #fillCell(node: HTMLElement, model: MatrixModel, [row, column]: readonly [number, number]): void {
    const cell = model.cell(row, column);
    node.id = `cell-${row}-${column}`;
    const isAt = row === this.#row && column === this.#column;
    const isMarked = model.isMarked(row, column);
    node.className = `cell${cell === null ? " empty" : ""}${isAt ? " at" : ""}${isMarked ? " marked" : ""}${model.strikes && model.columns[column]?.isVoid === true ? " void" : ""}`;
    node.setAttribute("aria-selected", String(isMarked));
    if (cell === null) {
      node.replaceChildren();
      node.title = "";
      node.setAttribute("aria-label", "no rollouts");
      return;
    }
    const bar = element("span", "bar");
    bar.style.width = `${(100 * cell.share).toFixed(1)}%`;
    const shown = element("span", "text", cell.text);
    if (cell.sign !== undefined) shown.prepend(signElement(`${cell.sign} `));
    node.replaceChildren(bar, shown);
    node.title = cell.title;
    node.setAttribute("aria-label", `${cell.text}, ${cell.title}`);
  }

  #pressed(event: KeyboardEvent): void {
    const model = this.#model;
    if (model === undefined || model.rows === 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    const { page } = this.#list;
    const moves: Readonly<Record<string, readonly [number, number]>> = {
      ArrowDown: [1, 0],
      ArrowUp: [-1, 0],
      ArrowRight: [0, 1],
      ArrowLeft: [0, -1],
      PageDown: [page, 0],
      PageUp: [-page, 0],
      Home: [-Infinity, 0],
      End: [Infinity, 0],
    };
    const move = moves[event.key];
    const isThere = model.cell(this.#row, this.#column) !== null;
    if (move !== undefined) this.#moveBy(move, model);
    else if (event.key === "Enter") {
      if (isThere) this.#on.open(this.#row, this.#column);
    } else if (event.key === " ") {
      if (isThere) this.#on.mark(this.#row, this.#column);
    } else return;
    event.preventDefault();
  }

  #moveBy([down, right]: readonly [number, number], { rows, columns }: MatrixModel): void {
    this.#row = Math.max(0, Math.min(rows - 1, this.#row + down));
    this.#column = Math.max(0, Math.min(columns.length - 1, this.#column + right));
    this.#list.reveal(this.#row);
    this.#list.update();
    document
      .getElementById(`cell-${this.#row}-${this.#column}`)
      ?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }
}
