import { element } from "../shared/dom.ts";
import { graphColumns, tableColumns } from "./columns.ts";
import type { Order } from "./filter.ts";
import type { RowsModel } from "./rowSlot.ts";

/** The headings of the columns; those that can be sorted by are buttons. */
export function createHeadRow(
  { kind, order }: Pick<RowsModel, "kind" | "order">,
  sort: (by: Order) => void,
): HTMLElement {
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
      button.addEventListener("click", () => sort(by));
      cell.append(button);
    }
    return cell;
  });
  const corner = element("span", "lane-cell");
  corner.hidden = kind === "table";
  row.append(corner, ...cells);
  return row;
}
