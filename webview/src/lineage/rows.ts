import { scaleLinear } from "d3";
import type { LineageTable } from "../../../shared/protocol/lineageTable.ts";
import { element } from "../shared/dom.ts";
import { percentText } from "../shared/numbers.ts";
import { visibleLine } from "../shared/visibleText.ts";
import { barWidth, graphColumns, tableColumns, type CellContext, type Column } from "./columns.ts";
import type { Filter, Order } from "./filter.ts";
import { createLaneCell, lanesWidth, type LaneCell } from "./lanes.ts";
import { rowAfter, scoreExtent, scoresOfLine, type Layout } from "./layout.ts";
import { generationText, rowLabel } from "./text.ts";

const rowHeight = 34;
/** Rows that are drawn above and below those in view, so that a scroll shows no gap. */
const margin = 8;
const mostTrend = 16;

export type RowsModel = {
  readonly table: LineageTable;
  readonly layout: Layout;
  readonly kind: "graph" | "table";
  readonly selected: number | null;
  readonly marked: ReadonlySet<number>;
  readonly order: Filter["order"];
};
export type RowsHandlers = {
  readonly select: (index: number) => void;
  readonly mark: (index: number) => void;
  readonly open: (index: number) => void;
  readonly fold: (generation: number, folded: boolean) => void;
  readonly sort: (by: Order) => void;
  /** A key that is none of the list's own. */
  readonly key: (key: string, index: number | undefined) => boolean;
};
export type Rows = {
  readonly node: HTMLElement;
  readonly update: (model: RowsModel) => void;
  /** Scrolls a row into view. */
  readonly reveal: (row: number) => void;
  readonly focus: () => void;
};

/** One row's elements, which show one row after another. */
type Slot = {
  readonly node: HTMLElement;
  readonly lanes: LaneCell;
  readonly fills: readonly ReturnType<Column["make"]>[];
  readonly heading: HTMLElement;
  readonly cells: readonly HTMLElement[];
  row: number;
  stamp: number;
};

/**
 * The lineage as rows beside a graph of lanes, or as a table: only the rows in view are elements. One tab stop: arrows move,
 * left and right fold, Enter opens, Space marks.
 */
export function createRows(on: RowsHandlers): Rows {
  const node = element("div", "list");
  const head = element("div", "head");
  head.setAttribute("role", "rowgroup");
  const scroller = element("div", "scroller");
  scroller.tabIndex = 0;
  const space = element("div", "space");
  space.setAttribute("role", "rowgroup");
  scroller.append(head, space);
  node.append(scroller);

  let model: RowsModel | undefined;
  let slots: Slot[] = [];
  let stamp = 0;
  /** The row that keys go from: that of the selected version, or a heading. */
  let current = -1;
  let x: CellContext["x"];
  let width = 0;
  let frame = 0;

  /** Read when it changes only: reading it in a frame would lay the page out once more. */
  let height = 600;
  const viewRows = (): number => Math.max(1, Math.floor(height / rowHeight) - 1);

  function draw(): void {
    frame = 0;
    if (!model) return;
    const rows = model.layout.items.length;
    const count = viewRows() + 2 + 2 * margin;
    while (slots.length < count) slots.push(makeSlot(model.kind));
    for (const slot of slots.splice(count)) slot.node.remove();
    const top = Math.floor(scroller.scrollTop / rowHeight) - margin;
    const first = Math.max(0, Math.min(top, rows - count));
    for (let row = first; row < first + count; row++) {
      const slot = slots[row % count];
      if (!slot) continue;
      slot.node.hidden = row >= rows;
      if (row >= rows || (slot.row === row && slot.stamp === stamp)) continue;
      slot.row = row;
      slot.stamp = stamp;
      fill(slot, model, row);
    }
    const isDrawn = current >= first && current < Math.min(rows, first + count);
    if (isDrawn) scroller.setAttribute("aria-activedescendant", `row-${current}`);
    else scroller.removeAttribute("aria-activedescendant");
  }
  const drawSoon = (): void => {
    frame ||= requestAnimationFrame(draw);
  };
  scroller.addEventListener("scroll", drawSoon, { passive: true });
  new ResizeObserver(() => {
    height = scroller.clientHeight || 600;
    drawSoon();
  }).observe(scroller);

  function makeSlot(kind: RowsModel["kind"]): Slot {
    const row = element("div", "row");
    row.setAttribute("role", "row");
    const lanes = createLaneCell(rowHeight);
    const heading = element("span", "heading");
    heading.setAttribute("role", "gridcell");
    const columns = kind === "graph" ? graphColumns : tableColumns;
    const cells = columns.map(({ id }) => {
      const cell = element("span", `cell ${id}`);
      cell.setAttribute("role", "gridcell");
      return cell;
    });
    const fills = columns.map((column, i) => column.make(cells[i] ?? element("span")));
    const box = element("span", "lane-cell");
    box.append(lanes.node);
    if (kind === "table") box.hidden = true;
    row.append(box, heading, ...cells);
    const slot: Slot = { node: row, lanes, fills, heading, cells, row: -1, stamp: -1 };
    row.addEventListener("click", (event) => {
      moveTo(slot.row);
      const item = model?.layout.items[slot.row] ?? 0;
      if (item < 0) foldRow(slot.row, undefined);
      else if (event.ctrlKey || event.metaKey) on.mark(item);
    });
    row.addEventListener("dblclick", () => {
      const item = model?.layout.items[slot.row] ?? -1;
      if (item >= 0) on.open(item);
    });
    space.append(row);
    return slot;
  }

  function fill(slot: Slot, { table, layout, kind, selected, marked }: RowsModel, row: number): void {
    const item = layout.items[row] ?? 0;
    const { node: at, heading, cells } = slot;
    at.id = `row-${row}`;
    at.style.top = `${row * rowHeight}px`;
    at.setAttribute("aria-rowindex", String(row + 2));
    if (kind === "graph") slot.lanes.fill(table, layout, row, width);
    const group = item < 0 ? layout.generations[-1 - item] : undefined;
    heading.hidden = group === undefined;
    for (const cell of cells) cell.hidden = group !== undefined;
    if (kind === "graph") at.setAttribute("aria-level", layout.isMember[row] === 1 ? "2" : "1");
    const isCurrent = group ? row === current : item === selected;
    const isMarked = !group && marked.has(item);
    at.className = `row${group ? " generation" : ""}${isCurrent ? " selected" : ""}${isMarked ? " marked" : ""}`;
    at.setAttribute("aria-selected", String(isCurrent || isMarked));
    if (group) {
      at.setAttribute("aria-expanded", String(!group.folded));
      const said = headingText(table, group.members);
      heading.textContent = `${group.folded ? "▸" : "▾"} Generation ${group.generation} · ${said}`;
      at.setAttribute("aria-label", `Generation ${group.generation}, ${said}`);
      return;
    }
    at.removeAttribute("aria-expanded");
    const version = table.version(item);
    if (!version) return;
    at.setAttribute("aria-label", `${rowLabel(version)}${isMarked ? ", marked" : ""}`);
    const context = { x, trend: kind === "graph" ? scoresOfLine(table, item, mostTrend) : [] };
    for (const one of slot.fills) one(version, context);
  }

  function drawHead({ kind, order }: RowsModel): void {
    const row = element("div", "row");
    row.setAttribute("role", "row");
    row.setAttribute("aria-rowindex", "1");
    const cells = (kind === "graph" ? graphColumns : tableColumns).map(({ id, title, hint, order: by }) => {
      const cell = element("span", `cell ${id}`);
      cell.setAttribute("role", "columnheader");
      if (hint !== undefined) cell.title = hint;
      if (by === undefined) cell.textContent = title;
      else {
        const isBy = order?.by === by;
        const button = element("button", "sort", title);
        button.type = "button";
        button.tabIndex = -1;
        if (isBy) {
          cell.setAttribute("aria-sort", order.descending ? "descending" : "ascending");
          const sign = element("span", "", order.descending ? " ↓" : " ↑");
          sign.setAttribute("aria-hidden", "true");
          button.append(sign);
        }
        button.addEventListener("click", () => on.sort(by));
        cell.append(button);
      }
      return cell;
    });
    const corner = element("span", "lane-cell");
    corner.hidden = kind === "table";
    row.append(corner, ...cells);
    head.replaceChildren(row);
  }

  scroller.addEventListener("keydown", (event) => {
    if (!model || event.altKey || event.target !== scroller) return;
    const { layout } = model;
    const item = layout.items[current];
    const index = item !== undefined && item >= 0 ? item : undefined;
    const next =
      event.ctrlKey || event.metaKey ? undefined : rowAfter(layout, current, event.key, viewRows());
    if (next !== undefined) moveTo(next, true);
    else if (event.ctrlKey || event.metaKey) return;
    else if (event.key === "ArrowLeft" || event.key === "ArrowRight") sideways(event.key === "ArrowLeft");
    else if (event.key === "Enter") {
      if (index !== undefined) on.open(index);
      else foldRow(current, undefined);
    } else if (event.key === " ") {
      if (index !== undefined) on.mark(index);
      else foldRow(current, undefined);
    } else if (!on.key(event.key, index)) return;
    event.preventDefault();
  });

  /** Left folds, or leads to the heading or the parent; right unfolds, or leads to the newest child. */
  function sideways(isLeft: boolean): void {
    if (!model) return;
    const { layout, table } = model;
    const item = layout.items[current];
    if (item === undefined) return;
    if (item < 0) {
      const isFolded = layout.generations[-1 - item]?.folded === true;
      if (isLeft !== isFolded) foldRow(current, isLeft);
      else if (!isLeft) moveTo(current + 1, true);
      return;
    }
    if (isLeft) {
      if (layout.isMember[current] === 1) {
        let row = current;
        while (row > 0 && (layout.items[row] ?? 0) >= 0) row--;
        moveTo(row, true);
      } else {
        const parent = table.parent[item] ?? -1;
        const row = parent < 0 ? -1 : (layout.rowOf[parent] ?? -1);
        if (row >= 0) moveTo(row, true);
      }
      return;
    }
    for (let i = table.total - 1; i > item; i--) {
      const row = table.parent[i] === item ? (layout.rowOf[i] ?? -1) : -1;
      if (row >= 0) {
        moveTo(row, true);
        return;
      }
    }
  }

  function foldRow(row: number, folded: boolean | undefined): void {
    const group = model?.layout.generations[-1 - (model.layout.items[row] ?? 0)];
    if (group) on.fold(group.generation, folded ?? !group.folded);
  }

  function moveTo(row: number, isRevealed = false): void {
    if (!model || row < 0 || row >= model.layout.items.length) return;
    current = row;
    if (isRevealed) reveal(row);
    const item = model.layout.items[row] ?? 0;
    if (item >= 0) on.select(item);
    else {
      stamp++;
      draw();
    }
  }

  function reveal(row: number): void {
    const headHeight = head.offsetHeight;
    const [top, bottom] = [row * rowHeight, (row + 1) * rowHeight + headHeight];
    if (top < scroller.scrollTop) scroller.scrollTop = top;
    else if (bottom > scroller.scrollTop + scroller.clientHeight)
      scroller.scrollTop = bottom - scroller.clientHeight;
    draw();
  }

  function changeKind(kind: RowsModel["kind"]): void {
    for (const { node: old } of slots) old.remove();
    slots = [];
    node.className = `list as-${kind}`;
    scroller.setAttribute("role", kind === "graph" ? "treegrid" : "grid");
    scroller.setAttribute("aria-multiselectable", "true");
  }

  function measure({ table, layout }: RowsModel): void {
    const extent = scoreExtent(table);
    x = extent && scaleLinear(extent, [5, barWidth - 5]);
    width = lanesWidth(layout.lanes);
    node.style.setProperty("--lanes", `${width}px`);
    space.style.height = `${layout.items.length * rowHeight}px`;
  }

  function update(next: RowsModel): void {
    const before = model;
    const isOtherKind = next.kind !== before?.kind;
    const isOtherLayout = next.layout !== before?.layout;
    // What is being read stays where it is when rows are added above it.
    const anchor =
      isOtherLayout && before && scroller.scrollTop > 0 ? anchorOf(before, scroller.scrollTop) : undefined;
    const heading = before && current >= 0 ? before.layout.items[current] : undefined;
    model = next;
    stamp++;
    if (isOtherKind) changeKind(next.kind);
    if (isOtherLayout) measure(next);
    scroller.setAttribute("aria-label", next.order === null ? "Versions, newest first" : "Versions");
    scroller.setAttribute("aria-rowcount", String(next.layout.items.length + 1));
    // A heading that is being clicked must not be replaced by another.
    if (isOtherKind || !isSameOrder(next.order, before.order)) drawHead(next);
    const selectedRow = next.selected === null ? -1 : (next.layout.rowOf[next.selected] ?? -1);
    if (heading !== undefined && heading < 0) current = headingRow(before, next, heading);
    else current = selectedRow;
    const place = anchor && placeOf(next.layout, anchor);
    if (place !== undefined) scroller.scrollTop = place;
    draw();
  }

  return { node, update, reveal, focus: () => scroller.focus() };
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

function headingText(table: LineageTable, members: readonly number[]): string {
  const said = generationText(members.map((i) => table.decisionOf(i)));
  let best = -1;
  for (const i of members)
    if ((table.score[i] ?? NaN) > (best < 0 ? -Infinity : (table.score[best] ?? 0))) best = i;
  return best < 0
    ? said
    : `${said} · highest ${percentText(table.score[best] ?? 0)} in ${visibleLine(table.name[best] ?? "")}`;
}
