import { decisionLook } from "../../../shared/words/decisions.ts";
import type { LineageTable } from "../../../shared/protocol/views/lineageTable.ts";
import { svgElement } from "../shared/dom.ts";
import type { Layout } from "./layout.ts";
import { shapePath } from "../shared/charts/decisionShape.ts";

const laneWidth = 16;
const margin = 14;

export const lanesWidth = (lanes: number): number =>
  lanes === 0 ? 12 : 2 * margin + (lanes - 1) * laneWidth;
const laneX = (lane: number): number => margin + lane * laneWidth;

/** The part of the graph that one row shows. */
export type LaneCell = {
  readonly node: SVGSVGElement;
  readonly fill: (table: LineageTable, layout: Layout, row: number, width: number) => void;
};

export function createLaneCell(rowHeight: number): LaneCell {
  const svg = svgElement("svg", { class: "lanes", height: rowHeight, "aria-hidden": "true" });
  const solid = svgElement("path", { class: "edge" });
  const dashed = svgElement("path", { class: "edge broken" });
  const stack = svgElement("path", { class: "stack" });
  const shape = svgElement("path", { class: "node" });
  svg.append(solid, dashed, stack, shape);
  return {
    node: svg,
    fill: (table, layout, row, width) => {
      svg.setAttribute("width", String(width));
      const lines = edgesOf(layout, row, rowHeight);
      solid.setAttribute("d", lines.solid);
      dashed.setAttribute("d", lines.broken);
      const item = layout.items[row] ?? 0;
      const lane = layout.lane[row] ?? -1;
      const isDrawn = layout.lanes > 0 && lane >= 0;
      shape.setAttribute("visibility", isDrawn ? "visible" : "hidden");
      stack.setAttribute("visibility", isDrawn && item < 0 ? "visible" : "hidden");
      if (!isDrawn) return;
      const members = layout.generations[-1 - item]?.members ?? [];
      const shown = item >= 0 ? item : (members.find((i) => isStanding(table, i)) ?? members[0] ?? 0);
      const decision = table.decisionOf(shown);
      const { colour, isOpen } = decisionLook(decision, table.comparedOf(shown)?.verdict);
      const place = `translate(${laneX(lane)},${rowHeight / 2})`;
      shape.setAttribute("class", `node ${decision} colour-${colour}${isOpen ? " open" : ""}`);
      shape.setAttribute("d", shapePath(decision));
      shape.setAttribute("transform", item < 0 ? `${place} scale(0.8)` : place);
      stack.setAttribute("d", "M-9,-9h18v18h-18zM-5,-12h17v17");
      stack.setAttribute("transform", place);
    },
  };
}

function isStanding(table: LineageTable, i: number): boolean {
  const decision = table.decisionOf(i);
  return decision === "keep" || decision === "merge" || decision === "base";
}

/** The lines of a row: those that run through, that come from above into its shape, and that leave it downwards. */
function edgesOf(layout: Layout, row: number, height: number): { solid: string; broken: string } {
  const middle = height / 2;
  const [through, ending, below] = [layout.through, layout.ending, layout.broken].map((of) => of[row] ?? 0);
  const above = row > 0 ? (layout.broken[row - 1] ?? 0) : 0;
  const own = layout.lane[row] ?? -1;
  const found = { solid: "", broken: "" };
  const add = (isBroken: boolean, path: string): void => {
    found[isBroken ? "broken" : "solid"] += path;
  };
  for (let lane = 0; lane < layout.lanes; lane++) {
    const bit = 1 << lane;
    const x = laneX(lane);
    const isBrokenBelow = ((below ?? 0) & bit) !== 0;
    if (((through ?? 0) & bit) !== 0) add(isBrokenBelow, `M${x},0V${height}`);
    if (((ending ?? 0) & bit) !== 0) {
      const to = laneX(Math.max(own, 0));
      add(
        (above & bit) !== 0,
        lane === own ? `M${x},0V${middle}` : `M${x},0C${x},${middle} ${to},${middle * 0.2} ${to},${middle}`,
      );
    }
    if (lane === own && (layout.parentRow[row] ?? -1) >= 0) add(isBrokenBelow, `M${x},${middle}V${height}`);
  }
  return found;
}
