import { scaleLinear } from "d3";
import type { LabelByPeople } from "../../../shared/protocol/results/people.ts";
import type { Colour } from "../../../shared/words/decisions.ts";
import { peopleLinesOf } from "../../../shared/words/people.ts";
import { element, svgElement } from "../shared/dom.ts";
import type { Cell } from "../shared/table.ts";

/** A part of the page with its heading. While it is asked for it says so, and why when there is nothing. */
export type Section = {
  readonly node: HTMLElement;
  readonly wait: () => void;
  readonly refuse: (message: string) => void;
  readonly show: (...content: (Node | string)[]) => void;
  readonly hide: () => void;
};

export function createSection(id: string, title: string, ...tools: HTMLElement[]): Section {
  const node = element("section", `part ${id}`);
  const heading = headingOf(id, title);
  node.setAttribute("aria-labelledby", heading.id);
  const bar = element("div", "bar");
  bar.append(heading, ...tools);
  const content = element("div", "content");
  node.append(bar, content);
  return sectionOf(node, content);
}

/** A part that is folded until somebody opens it: what stands above it answers the question. */
export function createFold(
  id: string,
  title: string,
  ...tools: HTMLElement[]
): Section & { open: () => void } {
  const node = element("details", `part ${id}`);
  const head = element("summary");
  head.append(headingOf(id, title));
  const content = element("div", "content");
  node.append(head, ...tools, content);
  return {
    ...sectionOf(node, content),
    open: () => {
      node.open = true;
    },
  };
}

function headingOf(id: string, title: string): HTMLElement {
  const heading = element("h2", "", title);
  heading.id = `part-${id}`;
  return heading;
}

function sectionOf(node: HTMLElement, content: HTMLElement): Section {
  return {
    node,
    wait: () => {
      node.hidden = false;
      node.setAttribute("aria-busy", "true");
      // What is there stays until the next answer: it jumps less.
      if (content.childElementCount === 0) content.replaceChildren(element("p", "quiet", "Reading…"));
    },
    refuse: (message) => {
      node.hidden = false;
      node.removeAttribute("aria-busy");
      content.replaceChildren(element("p", "quiet", message));
    },
    show: (...parts) => {
      node.hidden = false;
      node.removeAttribute("aria-busy");
      // What somebody has unfolded stays open when more of the same comes.
      const open = [...content.querySelectorAll("details")].map((fold) => fold.open);
      content.replaceChildren(...parts);
      for (const [i, fold] of content.querySelectorAll("details").entries()) fold.open = open[i] ?? false;
    },
    hide: () => {
      node.hidden = true;
      content.replaceChildren();
    },
  };
}

const width = 120;
const height = 20;

export type Plotted = {
  readonly value: number | null;
  readonly low: number | null;
  readonly high: number | null;
  /** Wider ends, where what is unknown is counted either way. */
  readonly outer?: readonly [number, number] | undefined;
};

/** A point with its interval on a scale; a line marks zero where the scale has it. Said in words beside it. */
export function intervalPlot(
  domain: readonly [number, number],
  { value, low, high, outer }: Plotted,
  colour?: Colour,
): Node {
  const svg = svgElement("svg", {
    width,
    height,
    "aria-hidden": "true",
    class: colour === undefined ? "plot" : `plot colour-${colour}`,
  });
  const x = scaleLinear(domain, [6, width - 6]).clamp(true);
  const mid = height / 2;
  svg.append(svgElement("line", { class: "axis", x1: 0, x2: width, y1: mid, y2: mid }));
  if (domain[0] < 0 && domain[1] > 0)
    svg.append(svgElement("line", { class: "zero", x1: x(0), x2: x(0), y1: 1, y2: height - 1 }));
  if (outer)
    svg.append(svgElement("line", { class: "outer", x1: x(outer[0]), x2: x(outer[1]), y1: mid, y2: mid }));
  if (low !== null && high !== null)
    svg.append(svgElement("line", { class: "interval", x1: x(low), x2: x(high), y1: mid, y2: mid }));
  if (value !== null) svg.append(svgElement("circle", { class: "point", cx: x(value), cy: mid, r: 3.5 }));
  return svg;
}

/** A scale around zero that holds all of these. */
export function aroundZero(values: readonly (number | null | undefined)[]): [number, number] {
  const most = Math.max(0.01, ...values.map((v) => Math.abs(v ?? 0)));
  return [-most, most];
}

/** What a label is called, with how right it is by what people answered below it. */
export function labelCellWithPeople(title: string, label: string, people: readonly LabelByPeople[]): Cell {
  const lines = peopleLinesOf(people, label);
  if (lines.length === 0) return title;
  const cell = element("span", "", title);
  for (const line of lines) cell.append(element("span", "quiet people", line));
  return { text: cell };
}
