import { element } from "./dom.ts";
import "./table.css";

export type Cell = string | { readonly text: string | Node; readonly className?: string };

/** A table that scrolls sideways in its own box; the first cell of a row heads it. */
export function tableOf(
  caption: string,
  head: readonly Cell[],
  rows: readonly (readonly Cell[])[],
): HTMLElement {
  const box = element("div", "table");
  box.tabIndex = 0;
  box.setAttribute("role", "region");
  box.setAttribute("aria-label", caption);
  const table = element("table");
  table.append(element("caption", "", caption));
  const fill = (cell: HTMLElement, content: Cell): HTMLElement => {
    const { text, className = "" } = typeof content === "string" ? { text: content } : content;
    cell.append(text);
    if (className !== "") cell.className = className;
    return cell;
  };
  const scoped = (scope: "col" | "row"): HTMLElement => {
    const made = element("th");
    made.setAttribute("scope", scope);
    return made;
  };
  const top = element("tr");
  for (const [i, cell] of head.entries())
    top.append(i === 0 && cell === "" ? element("td") : fill(scoped("col"), cell));
  const thead = element("thead");
  thead.append(top);
  const body = element("tbody");
  for (const row of rows) {
    const line = element("tr");
    for (const [i, cell] of row.entries()) line.append(fill(i === 0 ? scoped("row") : element("td"), cell));
    body.append(line);
  }
  table.append(thead, body);
  box.append(table);
  return box;
}
