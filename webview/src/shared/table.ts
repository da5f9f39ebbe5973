import { element } from "./dom.ts";
import { foldToFit } from "./foldTable.ts";
import "./table.css";

export type Cell = string | { readonly text: string | Node; readonly className?: string };

/** A text longer than this needs the width of so many characters to be read. */
const longText = 16;

/**
 * A table in which the first cell of a row heads it. Columns that have no room fold into a line below their row, in
 * the order of `leaving`, else the last one first.
 */
export function tableOf(
  caption: string,
  head: readonly Cell[],
  rows: readonly (readonly Cell[])[],
  leaving: readonly number[] = [],
): HTMLElement {
  const box = element("div", "table");
  box.tabIndex = 0;
  box.setAttribute("role", "region");
  box.setAttribute("aria-label", caption);
  const table = element("table");
  table.append(element("caption", "", caption));
  const fill = <T extends HTMLElement>(cell: T, content: Cell): T => {
    const { text, className = "" } = typeof content === "string" ? { text: content } : content;
    cell.append(text);
    if (className !== "") cell.className = className;
    else if (cell.textContent.length > longText) cell.className = "long";
    return cell;
  };
  const scoped = (scope: "col" | "row"): HTMLTableCellElement => {
    const made = element("th");
    made.setAttribute("scope", scope);
    return made;
  };
  const top = element("tr");
  const heads = head.map((cell, i) => (i === 0 && cell === "" ? element("td") : fill(scoped("col"), cell)));
  top.append(...heads);
  const thead = element("thead");
  thead.append(top);
  const body = element("tbody");
  const lines = rows.map((row) => {
    const line = element("tr");
    const cells = row.map((cell, i) => fill(i === 0 ? scoped("row") : element("td"), cell));
    line.append(...cells);
    return { line, cells };
  });
  body.append(...lines.map(({ line }) => line));
  table.append(thead, body);
  box.append(table);
  foldToFit({ box, table, heads, rows: lines, order: leaving });
  return box;
}
