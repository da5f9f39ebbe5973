import { element } from "./dom.ts";

export type FoldedTable = {
  readonly box: HTMLElement;
  readonly table: HTMLTableElement;
  readonly heads: readonly HTMLTableCellElement[];
  readonly rows: readonly {
    readonly line: HTMLTableRowElement;
    readonly cells: readonly HTMLTableCellElement[];
  }[];
  /** Columns in the order in which they leave their row; without it the last one leaves first. */
  readonly order?: readonly number[];
};

/**
 * Keeps a table inside its box at every width: a column that has no room moves, with its name, into a line below each
 * row. Nothing is cut and nothing is left out; the first column stays.
 */
export function foldToFit({ box, table, heads, rows, order = [] }: FoldedTable): void {
  const columns = heads.map((_, i) => i).slice(1);
  const leaving = [...order, ...columns.filter((i) => !order.includes(i)).reverse()];
  const names = heads.map((head) => head.textContent);
  const headNodes = heads.map((head) => [...head.childNodes]);
  const nodes = rows.map(({ cells }) => cells.map((cell) => [...cell.childNodes]));
  const top = heads[0]?.closest("tr");
  let added: HTMLElement[] = [];

  /** Restores every row, then moves these columns below it. */
  const arrange = (folded: readonly number[]): void => {
    for (const one of added) one.remove();
    added = [];
    for (const [i, head] of heads.entries()) {
      head.append(...(headNodes[i] ?? []));
      head.hidden = folded.includes(i);
    }
    for (const [r, { line, cells }] of rows.entries()) {
      for (const [i, cell] of cells.entries()) {
        cell.append(...(nodes[r]?.[i] ?? []));
        cell.hidden = folded.includes(i);
      }
      const parts = columns.flatMap((i) => {
        const cell = cells[i];
        if (cell === undefined || !folded.includes(i) || isEmpty(cell)) return [];
        const part = element("span", `folded ${cell.className}`);
        part.append(nameOf(i), ...cell.childNodes);
        return [part];
      });
      below(line, parts);
    }
    // A head that can be clicked stays where it can be clicked.
    const clickable = columns.filter((i) => folded.includes(i) && heads[i]?.querySelector("button"));
    if (top)
      below(
        top,
        clickable.map((i) => partOf(headNodes[i] ?? [])),
      );
    table.classList.toggle("narrow", folded.length === columns.length);
  };
  /** With what explains it to who points at it. */
  const nameOf = (i: number): HTMLElement => {
    const name = element("span", "quiet");
    // A copy of what can be clicked would do nothing.
    if (heads[i]?.querySelector("button")) name.append(names[i] ?? "");
    else name.append(...(headNodes[i] ?? []).map((node) => node.cloneNode(true)));
    name.append(" ");
    return name;
  };
  const below = (line: HTMLTableRowElement, parts: readonly HTMLElement[]): void => {
    line.classList.toggle("has-more", parts.length > 0);
    if (parts.length === 0) return;
    const more = element("tr", "more");
    const cell = element("td");
    cell.colSpan = heads.length;
    cell.append(...parts);
    more.append(cell);
    line.after(more);
    added.push(more);
  };

  table.classList.toggle("narrow", columns.length === 0);
  let [fittedTo, folded] = [0, 0];
  let least: readonly number[] | undefined;
  const fit = (): void => {
    const room = box.clientWidth;
    if (room === 0 || room === fittedTo) return;
    fittedTo = room;
    // To move the cells of a long table and to lay it out anew is felt: it is measured once, while nothing is folded.
    least ??= leastWidths(table, heads);
    const focused = document.activeElement;
    const fold = (count: number): void => {
      if (count !== folded) arrange(leaving.slice(0, count));
      folded = count;
    };
    let count = countToFold(least, leaving, room);
    fold(count);
    while (table.offsetWidth > room && count < leaving.length) fold(++count);
    // An element that is moved loses the focus.
    if (focused instanceof HTMLElement && box.contains(focused)) focused.focus();
  };
  // What changes inside the callback would be noticed in the same frame again.
  new ResizeObserver(() => requestAnimationFrame(fit)).observe(box);
}

/** Pixels that each column needs. */
function leastWidths(table: HTMLTableElement, heads: readonly HTMLTableCellElement[]): number[] {
  table.style.width = "min-content";
  const widths = heads.map((head) => head.getBoundingClientRect().width);
  table.style.width = "";
  return widths;
}

/** How many columns at least have to leave for the rest to have room; what leaves may need more in its line. */
function countToFold(least: readonly number[], leaving: readonly number[], room: number): number {
  let needed = least.reduce((sum, width) => sum + width, 0);
  let count = 0;
  for (; needed > room + 0.5 && count < leaving.length; count++) needed -= least[leaving[count] ?? 0] ?? 0;
  return count;
}

function partOf(nodes: readonly Node[]): HTMLElement {
  const part = element("span", "folded");
  part.append(...nodes);
  return part;
}

const isEmpty = (cell: HTMLElement): boolean =>
  cell.textContent.trim() === "" && cell.querySelector("svg") === null;
