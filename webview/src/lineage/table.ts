import { select } from "d3";
import type { LineageVersion, LineageView } from "../../../shared/protocol/lineage.ts";
import { decisionTexts, intervalText, labelsText, scoreText } from "./text.ts";

const columns: readonly (readonly [string, (version: LineageVersion) => string])[] = [
  ["Version", ({ name }) => name],
  ["Decision", ({ decision }) => decisionTexts[decision]],
  ["Score", scoreText],
  ["Interval", intervalText],
  ["Factor", ({ factor }) => factor ?? ""],
  ["Parent", ({ parent }) => parent ?? ""],
  ["Change", ({ title }) => title],
  ["Labels", labelsText],
  ["Reason", ({ reason }) => reason],
];

export type Table = {
  readonly node: HTMLElement;
  readonly update: (view: LineageView, selected: string | null) => void;
};

/** The same lineage as a table, newest first: everything that the graph shows, in words. */
export function createTable(on: { select: (name: string) => void }): Table {
  const root = select(document.createElement("div")).attr("class", "table");
  const table = root.append("table");
  table.append("caption").text("Versions, newest first");
  table
    .append("thead")
    .append("tr")
    .selectAll("th")
    .data(columns)
    .join("th")
    .attr("scope", "col")
    .text(([title]) => title);
  const body = table.append("tbody");

  function update({ versions }: LineageView, selected: string | null): void {
    const rows = body
      .selectAll<HTMLTableRowElement, LineageVersion>("tr")
      .data([...versions].reverse(), ({ name }) => name)
      .join("tr")
      .classed("selected", ({ name }) => name === selected)
      .on("click", (_event, { name }) => on.select(name))
      .order();
    rows
      .selectAll<HTMLTableCellElement, string>("td")
      .data((version) => columns.map(([, text]) => text(version)))
      .join("td")
      .text((text) => text);
  }
  return { node: root.node() ?? document.createElement("div"), update };
}
