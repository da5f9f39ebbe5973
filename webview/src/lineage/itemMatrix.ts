import type { VersionItems } from "../../../shared/protocol/results/items.ts";
import type { LineageTable } from "../../../shared/protocol/views/lineageTable.ts";
import { countedText } from "../shared/numbers.ts";
import { visibleLine } from "../shared/visibleText.ts";
import { columnOf } from "./labelMatrix.ts";
import type { MatrixModel } from "./matrix.ts";

export type MarkedCell = { readonly version: string; readonly item: string };

/** How many of the rollouts of each item each version solved; items whose answer changed most often come first. */
export function itemMatrix(
  { versions, items }: VersionItems,
  table: LineageTable,
  marked: MarkedCell | null,
): MatrixModel {
  const columns = versions.map((name) => {
    const i = table.find(name);
    return i === undefined
      ? { name: visibleLine(name), title: visibleLine(name), isVoid: false }
      : columnOf(table, i);
  });
  return {
    label: "Rollouts of each item that passed, by version",
    strikes: true,
    corner: "Item",
    columns,
    rows: items.length,
    rowName: (row) => {
      const { item = "", changes = 0 } = items[row] ?? {};
      const name = visibleLine(item);
      const times =
        changes === 0 ? "the answer never changed" : `the answer changed ${countedText(changes, "time")}`;
      return { text: name, aside: changes === 0 ? "" : `${changes} ⇄`, title: `${name} · ${times}` };
    },
    cell: (row, column) => {
      const { item = "", cells = [] } = items[row] ?? {};
      const cell = cells[column] ?? null;
      if (cell === null) return null;
      const { passes, known, rollouts } = cell;
      const open = rollouts - known;
      const voided =
        columns[column]?.isVoid === true ? ", which does not count: the version is not valid" : "";
      return {
        text: `${passes}/${known}${open > 0 ? "?" : ""}`,
        title: `${visibleLine(item)} in ${columns[column]?.name ?? ""}: ${passes} of ${known} passed${open > 0 ? `, ${open} unknown` : ""}${voided}`,
        share: known === 0 ? 0 : passes / known,
      };
    },
    isMarked: (row, column) =>
      marked !== null && marked.item === items[row]?.item && marked.version === versions[column],
  };
}
