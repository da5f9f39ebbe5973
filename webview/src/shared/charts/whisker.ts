import { element, svgElement } from "../dom.ts";
import { placeOn, ticksOf, type Axis } from "./axis.ts";
import "./charts.css";

/** What a mark says beside where it lies; each has a shape besides its colour. */
export type Tone = "better" | "worse" | "undecided" | "untrusted" | "neutral";

/** An estimate with its interval; `outer` are wider ends, where what is unknown is counted either way. */
export type Estimate = {
  readonly value: number | null;
  readonly low: number | null;
  readonly high: number | null;
  readonly outer?: readonly [number, number] | undefined;
  readonly tone: Tone;
};

/** A line of the picture: what it is called, what it says in words, and the estimate. */
export type WhiskerRow = Estimate & { readonly name?: string | Node; readonly says: string };

/** Sides of zero in words, where an axis of differences has two. */
export type Sides = { readonly below: string; readonly above: string };

/** Of an axis of differences in points. */
export const inPoints: Sides = { below: "worse", above: "better, in points" };

const height = 26;
const mid = height / 2;

/**
 * Intervals below each other on one labelled axis, with zero as a line where the axis has it. The words of each line are what
 * a reader without the picture gets.
 */
export function whiskersOf(rows: readonly WhiskerRow[], axis: Axis, sides?: Sides): HTMLElement {
  const chart = element("div", "whiskers");
  for (const row of rows) {
    const line = element("div", "whisker");
    if (row.name !== undefined) {
      const name = element("span", "whisker-name");
      name.append(row.name);
      line.append(name);
    }
    const drawn = element("div", "whisker-plot");
    drawn.title = row.says;
    drawn.append(whiskerSvg(row, axis));
    drawn.setAttribute("role", "img");
    drawn.setAttribute("aria-label", row.says);
    line.append(drawn);
    chart.append(line);
  }
  const foot = element("div", "whisker foot");
  if (rows.some(({ name }) => name !== undefined)) foot.append(element("span", "whisker-name"));
  const under = element("div", "whisker-plot");
  under.append(ticksOf(axis));
  if (sides) {
    const said = element("div", "axis-sides");
    said.setAttribute("aria-hidden", "true");
    said.append(element("span", "", `← ${sides.below}`), element("span", "", `${sides.above} →`));
    under.append(said);
  }
  foot.append(under);
  chart.append(foot);
  return chart;
}

function whiskerSvg({ value, low, high, outer, tone }: Estimate, axis: Axis): SVGSVGElement {
  const svg = svgElement("svg", { width: "100%", height, class: `whisker-svg tone-${tone}` });
  const at = (v: number): string => `${placeOn(axis, v)}%`;
  const along = (name: string, from: number, to: number): SVGLineElement =>
    svgElement("line", { class: name, x1: at(from), x2: at(to), y1: mid, y2: mid });
  const across = (name: string, v: number, reach: number): SVGLineElement =>
    svgElement("line", { class: name, x1: at(v), x2: at(v), y1: mid - reach, y2: mid + reach });
  svg.append(along("whisker-rail", ...axis.domain));
  if (axis.domain[0] <= 0 && axis.domain[1] >= 0) svg.append(across("whisker-zero", 0, mid));
  if (outer) svg.append(along("whisker-outer", ...outer));
  if (low !== null && high !== null)
    svg.append(
      along("whisker-interval", low, high),
      across("whisker-end", low, 6),
      across("whisker-end", high, 6),
    );
  if (value !== null) svg.append(pointOf(at(value), tone));
  return svg;
}

/** Better, worse and what is not to be trusted have a shape each, so that the picture says it without colour. */
function pointOf(x: string, tone: Tone): SVGElement {
  const shapes: Readonly<Record<Tone, string>> = {
    better: "M0,-7 L6,4 L-6,4 Z",
    worse: "M0,7 L6,-4 L-6,-4 Z",
    untrusted: "M-5,-5 L5,5 M-5,5 L5,-5",
    undecided: "M0,-6 L6,0 L0,6 L-6,0 Z",
    neutral: "M-5,0 A5,5 0 1 0 5,0 A5,5 0 1 0 -5,0 Z",
  };
  // Only a nested picture can be put at a share of the width.
  const place = svgElement("svg", { x, y: mid, class: "whisker-place" });
  place.append(svgElement("path", { class: "whisker-point", d: shapes[tone] }));
  return place;
}
