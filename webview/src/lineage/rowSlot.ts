import type { LineageTable } from "../../../shared/protocol/views/lineageTable.ts";
import { element } from "../shared/dom.ts";
import { percentText } from "../shared/numbers.ts";
import { visibleLine } from "../shared/visibleText.ts";
import type { Slot } from "../shared/virtualList.ts";
import { graphColumns, tableColumns, type CellContext, type Column } from "./columns.ts";
import type { Filter } from "./filter.ts";
import { createLaneCell, type LaneCell } from "./lanes.ts";
import type { Layout } from "./layout.ts";
import { generationText, rowLabel } from "./text.ts";

export const rowHeight = 34;

export type RowsModel = {
  readonly table: LineageTable;
  readonly layout: Layout;
  readonly kind: "graph" | "table";
  readonly selected: number | null;
  readonly marked: ReadonlySet<number>;
  readonly order: Filter["order"];
  readonly people: CellContext["people"];
};

/** One row's elements, which show one row after another. */
export type RowSlot = Slot & {
  readonly lanes: LaneCell;
  readonly fills: readonly ReturnType<Column["make"]>[];
  readonly heading: HTMLElement;
  readonly cells: readonly HTMLElement[];
  row: number;
};

export function createSlot(kind: RowsModel["kind"]): RowSlot {
  const node = element("div", "row");
  node.setAttribute("role", "row");
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
  node.append(box, heading, ...cells);
  return { node, lanes, fills, heading, cells, row: -1 };
}

export type RowPlace = {
  readonly row: number;
  /** The row that keys go from. */
  readonly current: number;
  readonly x: CellContext["x"];
  /** Pixels that the lanes take. */
  readonly width: number;
};

/** Shows a version, or the heading of a generation. */
export function fillSlot(
  slot: RowSlot,
  { table, layout, kind, selected, marked, people }: RowsModel,
  { row, current, x, width }: RowPlace,
): void {
  slot.row = row;
  const item = layout.items[row] ?? 0;
  const { node: at, heading, cells } = slot;
  at.id = `row-${row}`;
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
    heading.textContent = `${group.folded ? "▸" : "▾"} ${said}`;
    // Generations of one version have no heading, so that the numbers of the others would seem to lack some.
    heading.title = `Generation ${group.generation}`;
    at.setAttribute("aria-label", said);
    return;
  }
  at.removeAttribute("aria-expanded");
  const version = table.version(item);
  if (!version) return;
  at.setAttribute("aria-label", `${rowLabel(version)}${isMarked ? ", marked" : ""}`);
  const context = { x, people };
  for (const one of slot.fills) one(version, context);
}

function headingText(table: LineageTable, members: readonly number[]): string {
  const said = generationText(members.map((i) => table.decisionOf(i)));
  let best = -1;
  for (const i of members) if (table.counted(i) > (best < 0 ? -Infinity : table.counted(best))) best = i;
  return best < 0
    ? said
    : `${said} · highest ${percentText(table.counted(best))} in ${visibleLine(table.name[best] ?? "")}`;
}
