import { scaleLinear, select, type EnterElement, type Selection } from "d3";
import type { LineageVersion, LineageView } from "../../../shared/protocol/lineage.ts";
import {
  edgePath,
  layoutLineage,
  neighbour,
  placeOf,
  rowAt,
  rowHeight,
  scoreExtent,
  type Edge,
  type Row,
} from "./layout.ts";
import { shapePath, shapes } from "./shapes.ts";
import { decisionTexts, intervalText, rowLabel, scoreText } from "./text.ts";

const barWidth = 140;

export type Graph = {
  readonly node: HTMLElement;
  readonly update: (view: LineageView, selected: string | null) => void;
};

const rowId = (name: string) => `version-${encodeURIComponent(name)}`;

/** The lineage as a list of rows beside a graph of lanes: one tab stop, arrows move, Enter opens. */
export function createGraph(on: { select: (name: string) => void; open: (name: string) => void }): Graph {
  const root = select(document.createElement("div"))
    .attr("class", "graph")
    .attr("role", "listbox")
    .attr("aria-label", "Versions, newest first")
    .attr("tabindex", 0);
  const svg = root.append("svg").attr("class", "lanes").attr("aria-hidden", "true");
  const edges = svg.append("g");
  const nodes = svg.append("g");
  const list = root.append("div").attr("class", "rows").attr("role", "presentation");
  let layout = layoutLineage([]);
  let current: string | null = null;

  root.on("keydown", (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Enter" || event.key === " ") {
      if (current !== null) on.open(current);
    } else {
      const next = neighbour(layout, current, event.key);
      if (next === undefined) return;
      on.select(next);
    }
    event.preventDefault();
  });

  function update(view: LineageView, selected: string | null): void {
    const moved = current !== selected;
    current = selected;
    const scroller = root.node()?.parentElement;
    const anchor = scroller ? rowAt(layout, scroller.scrollTop) : undefined;
    layout = layoutLineage(view.versions);
    svg.attr("width", layout.width).attr("height", layout.height);
    edges
      .selectAll<SVGPathElement, Edge>("path")
      .data(layout.edges, (edge) => edge.id)
      .join("path")
      .attr("class", "edge")
      .attr("d", edgePath);
    nodes
      .selectAll<SVGPathElement, Row>("path")
      .data(layout.rows, (row) => row.version.name)
      .join("path")
      .attr("class", ({ version: { decision } }) => `node ${decision}${shapes[decision].open ? " open" : ""}`)
      .attr("transform", ({ x, y }) => `translate(${x},${y})`)
      .attr("d", ({ version }) => shapePath(version.decision));
    list
      .selectAll<HTMLElement, Row>("div.row")
      .data(layout.rows, (row) => row.version.name)
      .join(appendRow)
      .attr("aria-selected", ({ version }) => String(version.name === selected))
      .attr("aria-label", ({ version }) => rowLabel(version))
      .classed("selected", ({ version }) => version.name === selected)
      .style("padding-left", `${layout.width}px`)
      .call(fillRows, view)
      .on("click", (_event, { version }) => on.select(version.name))
      .on("dblclick", (_event, { version }) => on.open(version.name))
      .order();
    // What is being read stays where it is when versions are added above it.
    const place = anchor && placeOf(layout, anchor);
    if (scroller && place !== undefined) scroller.scrollTop = place;
    const active = selected === null ? null : rowId(selected);
    root.attr("aria-activedescendant", active);
    if (moved && active !== null) document.getElementById(active)?.scrollIntoView({ block: "nearest" });
  }

  return { node: root.node() ?? document.createElement("div"), update };
}

type Rows = Selection<HTMLElement, Row, HTMLDivElement, undefined>;

function appendRow(enter: Selection<EnterElement, Row, HTMLDivElement, undefined>): Rows {
  const row = enter
    .append<HTMLElement>("div")
    .attr("class", "row")
    .attr("role", "option")
    .attr("id", ({ version }) => rowId(version.name))
    .style("height", `${rowHeight}px`);
  for (const part of ["name", "decision", "score", "bar", "factor", "title"]) {
    row.append("span").attr("class", part);
    // Without it the parts would be one word to a screen reader.
    row.each(function () {
      this.append(" ");
    });
  }
  return row;
}

function fillRows(rows: Rows, view: LineageView): void {
  const text = (part: string, value: (version: LineageVersion) => string) =>
    rows.select(`.${part}`).text(({ version }) => value(version));
  text("name", ({ name }) => name);
  text("decision", ({ decision }) => decisionTexts[decision]).attr(
    "class",
    ({ version }) => `decision ${version.decision}`,
  );
  text("score", (version) =>
    version.score === null ? "no score" : `${scoreText(version)} ${intervalText(version)}`.trim(),
  );
  text("factor", ({ factor }) => factor ?? "");
  text("title", ({ title }) => title).attr("title", ({ version }) => version.title);
  const extent = scoreExtent(view.versions);
  const x = scaleLinear(extent ?? [0, 1], [4, barWidth - 4]);
  const bar = rows
    .select(".bar")
    .selectAll<SVGSVGElement, Row>("svg")
    .data((row) => [row])
    .join((enter) => {
      const svg = enter.append("svg").attr("width", barWidth).attr("height", 16).attr("aria-hidden", "true");
      svg.append("line").attr("class", "axis").attr("x1", 0).attr("x2", barWidth).attr("y1", 8).attr("y2", 8);
      svg.append("line").attr("class", "interval").attr("y1", 8).attr("y2", 8);
      svg.append("circle").attr("class", "point").attr("cy", 8).attr("r", 3.5);
      return svg;
    });
  const at = (value: number | null) => x(value ?? extent?.[0] ?? 0);
  bar
    .select(".interval")
    .attr("visibility", ({ version }) =>
      version.low === null || version.high === null ? "hidden" : "visible",
    )
    .attr("x1", ({ version }) => at(version.low))
    .attr("x2", ({ version }) => at(version.high));
  bar
    .select(".point")
    .attr("visibility", ({ version }) => (version.score === null ? "hidden" : "visible"))
    .attr("cx", ({ version }) => at(version.score));
}
