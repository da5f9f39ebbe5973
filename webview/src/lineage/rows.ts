import { scaleLinear } from "d3";
import { element } from "../shared/dom.ts";
import { VirtualList } from "../shared/virtualList.ts";
import { barWidth, type CellContext } from "./columns.ts";
import type { Order } from "./filter.ts";
import { lanesWidth } from "./lanes.ts";
import { rowAfter, rowBeside, scoreExtent, type Layout } from "./layout.ts";
import { createHeadRow } from "./rowHead.ts";
import { createSlot, fillSlot, rowHeight, type RowSlot, type RowsModel } from "./rowSlot.ts";

export type RowsHandlers = {
  readonly select: (index: number) => void;
  readonly mark: (index: number) => void;
  readonly open: (index: number) => void;
  readonly fold: (generation: number, folded: boolean) => void;
  readonly sort: (by: Order) => void;
  /** A key that is none of the list's own. */
  readonly key: (key: string, index: number | undefined) => boolean;
};

/**
 * The lineage as rows beside a graph of lanes, or as a table. One tab stop: arrows move, left and right fold, Enter opens, Space
 * marks.
 */
export class LineageRows {
  readonly node = element("div", "list");
  readonly #on: RowsHandlers;
  readonly #head = element("div", "head");
  readonly #scroller = element("div", "scroller");
  readonly #list: VirtualList<RowSlot>;
  #model: RowsModel | undefined;
  /** The row that keys go from: that of the selected version, or a heading. */
  #current = -1;
  #x: CellContext["x"];
  #width = 0;

  constructor(on: RowsHandlers) {
    this.#on = on;
    const scroller = this.#scroller;
    const space = element("div", "space");
    this.#head.setAttribute("role", "rowgroup");
    space.setAttribute("role", "rowgroup");
    scroller.tabIndex = 0;
    scroller.append(this.#head, space);
    this.node.append(scroller);
    scroller.addEventListener("keydown", (event) => this.#pressed(event));
    this.#list = new VirtualList({
      scroller,
      space,
      head: this.#head,
      rowHeight,
      make: () => this.#make(),
      fill: (slot, row) => {
        const place = { row, current: this.#current, x: this.#x, width: this.#width };
        if (this.#model) fillSlot(slot, this.#model, place);
      },
      drawn: (first, end) => {
        if (this.#current < first || this.#current >= end) scroller.removeAttribute("aria-activedescendant");
        else scroller.setAttribute("aria-activedescendant", `row-${this.#current}`);
      },
    });
  }

  update(next: RowsModel): void {
    const before = this.#model;
    const isOtherKind = next.kind !== before?.kind;
    const isOtherLayout = next.layout !== before?.layout;
    // What is being read stays where it is when rows are added above it.
    const anchor =
      isOtherLayout && before && this.#list.top > 0 ? anchorOf(before, this.#list.top) : undefined;
    const heading = before && this.#current >= 0 ? before.layout.items[this.#current] : undefined;
    this.#model = next;
    if (isOtherKind) this.#changeKind(next.kind);
    if (isOtherLayout) this.#measure(next);
    this.#scroller.setAttribute("aria-label", next.order === null ? "Versions, newest first" : "Versions");
    this.#scroller.setAttribute("aria-rowcount", String(next.layout.items.length + 1));
    // A heading that is being clicked must not be replaced by another.
    if (isOtherKind || !isSameOrder(next.order, before.order))
      this.#head.replaceChildren(createHeadRow(next, (by) => this.#on.sort(by)));
    const selectedRow = next.selected === null ? -1 : (next.layout.rowOf[next.selected] ?? -1);
    if (heading !== undefined && heading < 0) this.#current = headingRow(before, next, heading);
    else this.#current = selectedRow;
    const place = anchor && placeOf(next.layout, anchor);
    if (place !== undefined) this.#list.scrollTo(place);
    this.#list.update();
  }

  /** Scrolls a row into view. */
  reveal(row: number): void {
    this.#list.reveal(row);
  }

  #make(): RowSlot {
    const slot = createSlot(this.#model?.kind ?? "graph");
    slot.node.addEventListener("click", (event) => {
      this.#moveTo(slot.row);
      const item = this.#itemAt(slot.row) ?? 0;
      if (item < 0) this.#foldRow(slot.row);
      else if (event.ctrlKey || event.metaKey) this.#on.mark(item);
    });
    slot.node.addEventListener("dblclick", () => {
      const item = this.#itemAt(slot.row) ?? -1;
      if (item >= 0) this.#on.open(item);
    });
    return slot;
  }

  #itemAt(row: number): number | undefined {
    return this.#model?.layout.items[row];
  }

  #pressed(event: KeyboardEvent): void {
    if (!this.#model || event.altKey || event.target !== this.#scroller) return;
    const isChord = event.ctrlKey || event.metaKey;
    if (isChord || !this.#act(event.key, this.#model)) return;
    event.preventDefault();
  }

  /** Whether a key means something here. */
  #act(key: string, { layout, table }: RowsModel): boolean {
    const item = this.#itemAt(this.#current);
    const index = item !== undefined && item >= 0 ? item : undefined;
    const next = rowAfter(layout, this.#current, key, this.#list.page);
    if (next !== undefined) this.#moveTo(next, true);
    else if (key === "ArrowLeft" || key === "ArrowRight") {
      const step = rowBeside(layout, table, this.#current, key);
      if (step?.type === "row") this.#moveTo(step.row, true);
      else if (step) this.#foldRow(this.#current, step.folded);
    } else if (key === "Enter" || key === " ") {
      if (index === undefined) this.#foldRow(this.#current);
      else if (key === "Enter") this.#on.open(index);
      else this.#on.mark(index);
    } else return this.#on.key(key, index);
    return true;
  }

  #foldRow(row: number, folded?: boolean): void {
    const group = this.#model?.layout.generations[-1 - (this.#itemAt(row) ?? 0)];
    if (group) this.#on.fold(group.generation, folded ?? !group.folded);
  }

  #moveTo(row: number, isRevealed = false): void {
    if (!this.#model || row < 0 || row >= this.#model.layout.items.length) return;
    this.#current = row;
    if (isRevealed) this.#list.reveal(row);
    const item = this.#itemAt(row) ?? 0;
    if (item >= 0) this.#on.select(item);
    else this.#list.update();
  }

  #changeKind(kind: RowsModel["kind"]): void {
    this.#list.clear();
    this.node.className = `list as-${kind}`;
    this.#scroller.setAttribute("role", kind === "graph" ? "treegrid" : "grid");
    this.#scroller.setAttribute("aria-multiselectable", "true");
  }

  #measure({ table, layout }: RowsModel): void {
    const extent = scoreExtent(table);
    this.#x = extent && scaleLinear(extent, [5, barWidth - 5]);
    this.#width = lanesWidth(layout.lanes);
    this.node.style.setProperty("--lanes", `${this.#width}px`);
    this.#list.resize(layout.items.length);
  }
}

const isSameOrder = (a: RowsModel["order"], b: RowsModel["order"]): boolean =>
  a?.by === b?.by && a?.descending === b?.descending;

/** The version at the upper edge of what is shown, and how far its row has left it. */
function anchorOf({ layout }: RowsModel, scrollTop: number): { index: number; past: number } | undefined {
  for (let row = Math.floor(scrollTop / rowHeight); row < layout.items.length; row++) {
    const item = layout.items[row] ?? 0;
    const index = item >= 0 ? item : layout.generations[-1 - item]?.members[0];
    if (index !== undefined && index >= 0) return { index, past: scrollTop - row * rowHeight };
  }
  return undefined;
}

function placeOf({ rowOf }: Layout, { index, past }: { index: number; past: number }): number | undefined {
  const row = rowOf[index] ?? -1;
  return row < 0 ? undefined : row * rowHeight + past;
}

/** Where the heading of the same generation is now. */
function headingRow(before: RowsModel | undefined, next: RowsModel, item: number): number {
  const generation = before?.layout.generations[-1 - item]?.generation;
  const at = next.layout.generations.findIndex((group) => group.generation === generation);
  return at < 0 ? -1 : next.layout.items.indexOf(-1 - at);
}
