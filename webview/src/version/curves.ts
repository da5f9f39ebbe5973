import { area, extent, line, scaleLinear } from "d3";
import type { Curves } from "../../../shared/protocol/results/shift.ts";
import { element, svgElement } from "../shared/dom.ts";
import { figureText } from "../shared/numbers.ts";
import { visibleText } from "../shared/visibleText.ts";

type Series = Curves["series"][number];
type Point = Series["points"][number];

const [width, height] = [360, 180];
const margin = { top: 8, right: 10, bottom: 24, left: 48 };
/** Told apart by dashes and marks as well as by colour. */
const dashes = ["", "6 3", "2 3", "8 3 2 3", "1 4"] as const;
const colors = ["foreground", "blue", "green", "orange", "purple"] as const;

/** How the line of a version looks, by its place among those shown. */
const lineLook = (place: number): { dash: string; color: string } => ({
  dash: dashes[place % dashes.length] ?? "",
  color: `var(--vscode-charts-${colors[place % colors.length] ?? "foreground"})`,
});

/** One chart per metric: the mean over runs of each version, and as a band from the lowest to the highest. */
export function curvesOf({ shown, series }: Curves, versions: readonly string[]): Node[] {
  if (series.length === 0)
    return [element("p", "quiet", "No training metrics of these versions are in the archive.")];
  const legend = element("p", "legend");
  for (const [place, version] of versions.entries()) {
    const { dash, color } = lineLook(place);
    const swatch = svgElement("svg", { width: 28, height: 8, "aria-hidden": "true" });
    const stroke = svgElement("line", {
      x1: 0,
      x2: 28,
      y1: 4,
      y2: 4,
      "stroke-width": 2,
      "stroke-dasharray": dash,
    });
    stroke.style.stroke = color;
    swatch.append(stroke);
    const entry = element("span", "entry");
    entry.append(swatch, ` ${visibleText(version)}`);
    legend.append(entry);
  }
  legend.append(
    element(
      "span",
      "quiet",
      "Lines: means over runs. Bands: lowest to highest of the steps and runs of a point.",
    ),
  );
  const charts = element("div", "charts");
  for (const name of shown) {
    const own = series.filter((s) => s.name === name && s.points.length > 0);
    if (own.length > 0) charts.append(chartOf(name, own, versions));
  }
  return [legend, charts];
}

function chartOf(name: string, series: readonly Series[], versions: readonly string[]): HTMLElement {
  const figure = element("figure");
  const said = series.map(({ version, points, runs }) => {
    const [first, last] = [points[0], points.at(-1)];
    return `${version}: ${figureText(first?.mean ?? 0)} at step ${Math.round(first?.step ?? 0)} to ${figureText(last?.mean ?? 0)} at step ${Math.round(last?.step ?? 0)}${runs > 1 ? `, mean of ${runs} runs` : ""}`;
  });
  const svg = svgElement("svg", {
    viewBox: `0 0 ${width} ${height}`,
    role: "img",
    "aria-label": visibleText(`${name}. ${said.join(". ")}.`),
  });
  const all = series.flatMap(({ points }) => points);
  const [x0 = 0, x1 = 1] = extent(all, ({ step }) => step);
  const low = Math.min(...all.map((p) => p.min));
  const high = Math.max(...all.map((p) => p.max));
  const x = scaleLinear([x0, x1 > x0 ? x1 : x0 + 1], [margin.left, width - margin.right]);
  const y = scaleLinear(low < high ? [low, high] : [low - 1, low + 1], [
    height - margin.bottom,
    margin.top,
  ]).nice(4);
  for (const tick of y.ticks(4)) {
    svg.append(
      svgElement("line", {
        class: "grid",
        x1: margin.left,
        x2: width - margin.right,
        y1: y(tick),
        y2: y(tick),
      }),
    );
    svg.append(textAt(margin.left - 6, y(tick) + 4, figureText(tick), "end"));
  }
  for (const tick of x.ticks(4)) svg.append(textAt(x(tick), height - 6, figureText(tick), "middle"));
  for (const { version, points, runs } of series) {
    const { dash, color } = lineLook(versions.indexOf(version));
    if (points.some(({ min, max }) => max > min) && (runs > 1 || points.length > 1)) {
      const band = area<Point>(
        (p) => x(p.step),
        (p) => y(p.min),
        (p) => y(p.max),
      )(points);
      const drawn = svgElement("path", { class: "band", d: band ?? "" });
      drawn.style.fill = color;
      svg.append(drawn);
    }
    const curve = line<Point>(
      (p) => x(p.step),
      (p) => y(p.mean),
    )(points);
    const drawn = svgElement("path", { class: "curve", d: curve ?? "", "stroke-dasharray": dash });
    drawn.style.stroke = color;
    svg.append(drawn);
  }
  const caption = element("figcaption", "", visibleText(name));
  caption.append(element("span", "quiet", " by step"));
  figure.append(caption, svg);
  return figure;
}

function textAt(x: number, y: number, text: string, anchor: "end" | "middle"): SVGTextElement {
  const made = svgElement("text", { x, y, "text-anchor": anchor, "aria-hidden": "true" });
  made.textContent = text;
  return made;
}
