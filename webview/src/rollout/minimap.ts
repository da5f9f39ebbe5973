import {
  symbol,
  symbolCircle,
  symbolDiamond,
  symbolSquare,
  symbolTriangle,
  symbolWye,
  symbolStar,
  type SymbolType,
} from "d3";
import type { ShownTurn } from "../../../shared/protocol/views/rollout.ts";
import { element, svgElement } from "../shared/dom.ts";
import { visibleLine } from "../shared/visibleText.ts";

export type Minimap = {
  readonly node: HTMLElement;
  readonly draw: (turns: readonly ShownTurn[], labels: ReadonlyMap<number, readonly string[]>) => void;
  readonly point: (turn: number) => void;
};

const width = 44;
/** Of a long trajectory each turn has less, down to this. */
const [leastHeight, mostHeight] = [1, 16];
/** Below this a shape cannot be told from another, and a bar stands for it. */
const shapeHeight = 7;

const shapes: readonly SymbolType[] = [symbolSquare, symbolDiamond, symbolTriangle, symbolWye, symbolStar];

/** The form of each tool, the most used ones first; more tools than forms share the last one. */
function toolShapes(turns: readonly ShownTurn[]): ReadonlyMap<string, SymbolType> {
  const counts = new Map<string, number>();
  for (const { tool } of turns) if (tool !== undefined) counts.set(tool, (counts.get(tool) ?? 0) + 1);
  const names = [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  return new Map(names.map(([name], i) => [name, shapes[Math.min(i, shapes.length - 1)] ?? symbolSquare]));
}

/**
 * All turns at the left edge, one row each: the form says the tool, hollow and red that its call failed, a tick at the right
 * that the turn shows a label. A click goes to the turn; by keyboard the keys of the turns do.
 */
export function createMinimap(go: (turn: number) => void): Minimap {
  const node = element("div", "minimap");
  const svg = svgElement("svg", { width, role: "img" });
  const here = svgElement("rect", { class: "here", x: 0, width });
  node.append(svg);
  let shown: readonly ShownTurn[] = [];
  let marked: ReadonlyMap<number, readonly string[]> = new Map();
  let current = 0;
  let height = 0;

  const rowHeight = (): number =>
    Math.max(leastHeight, Math.min(mostHeight, height / Math.max(1, shown.length)));
  const turnAt = (event: MouseEvent): number =>
    Math.max(
      0,
      Math.min(shown.length - 1, Math.floor((event.clientY - svg.getBoundingClientRect().top) / rowHeight())),
    );
  const place = (): void => {
    here.setAttribute("y", String(current * rowHeight()));
    here.setAttribute("height", String(Math.max(3, rowHeight())));
  };
  const drawAll = (): void => {
    node.hidden = shown.length < 2;
    if (height === 0 || node.hidden) return;
    const row = rowHeight();
    svg.setAttribute("height", String(row * shown.length));
    const failed = shown.filter(({ ok }) => ok === false).length;
    svg.setAttribute(
      "aria-label",
      `${shown.length} turns: ${failed} calls failed, ${marked.size} turns show a label. The turns say the same.`,
    );
    svg.replaceChildren(
      here,
      ...(row < shapeHeight ? barsOf(shown, marked, row) : shapesOf(shown, marked, row)),
    );
    place();
  };
  svg.addEventListener("click", (event) => go(turnAt(event)));
  svg.addEventListener("pointermove", (event) => {
    const at = turnAt(event);
    const turn = shown[at];
    const title = turn === undefined ? "" : `turn ${at + 1}: ${saidOf(turn, marked.get(at) ?? [])}`;
    if (node.title !== title) node.title = title;
  });
  new ResizeObserver(([entry]) => {
    const next = Math.floor(entry?.contentRect.height ?? 0);
    if (next === height) return;
    height = next;
    requestAnimationFrame(drawAll);
  }).observe(node);
  return {
    node,
    draw: (turns, labels) => {
      [shown, marked] = [turns, labels];
      drawAll();
    },
    point: (turn) => {
      current = turn;
      place();
    },
  };
}

type Labels = ReadonlyMap<number, readonly string[]>;

const lookOf = ({ tool, ok }: ShownTurn): string =>
  tool === undefined ? "said" : ok === undefined ? "" : ok ? "ok" : "failed";

/** What was said without a tool is a line: short where the policy spoke, long where it was answered. */
const lengthOf = ({ tool, role }: ShownTurn): number =>
  tool !== undefined ? 18 : role === "assistant" ? 10 : 22;

/** One path for all turns that look the same: a trajectory may have many thousands. */
function barsOf(turns: readonly ShownTurn[], labels: Labels, row: number): SVGElement[] {
  const paths = new Map<string, string>();
  const thick = Math.max(0.8, Math.min(2, row - 0.5));
  for (const [i, turn] of turns.entries()) {
    const y = (i + 0.5) * row;
    const look = lookOf(turn);
    paths.set(look, `${paths.get(look) ?? ""}M6,${y}h${lengthOf(turn)}`);
    if (labels.has(i)) paths.set("tick", `${paths.get("tick") ?? ""}M${width - 12},${y}h12`);
  }
  return [...paths].map(([look, d]) =>
    svgElement("path", {
      class: `bar ${look}`,
      d,
      "stroke-width": look === "tick" ? Math.max(2, thick) : thick,
    }),
  );
}

function shapesOf(turns: readonly ShownTurn[], labels: Labels, row: number): SVGElement[] {
  const forms = toolShapes(turns);
  return turns.flatMap((turn, i) => {
    const middle = (i + 0.5) * row;
    const { tool } = turn;
    const call =
      tool === undefined
        ? svgElement("path", { class: "bar said", d: `M6,${middle}h${lengthOf(turn)}`, "stroke-width": 2 })
        : svgElement("path", {
            class: `call ${lookOf(turn)}`,
            d: symbol(forms.get(tool) ?? symbolCircle, 46)() ?? "",
            transform: `translate(14,${middle})`,
          });
    const tick = svgElement("path", {
      class: "bar tick",
      d: `M${width - 12},${middle}h12`,
      "stroke-width": 4,
    });
    return labels.has(i) ? [call, tick] : [call];
  });
}

const saidOf = ({ role, tool, ok }: ShownTurn, labels: readonly string[]): string =>
  [
    visibleLine(tool ?? role),
    ok === undefined ? "" : ok ? "succeeded" : "failed",
    ...labels.map((label) => `shows ${visibleLine(label)}`),
  ]
    .filter((part) => part !== "")
    .join(", ");
