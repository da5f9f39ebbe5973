import { element, svgElement } from "../dom.ts";
import { placeOn, ticksOf, type Axis, type Binned } from "./axis.ts";
import "./charts.css";

/** One row of the picture. */
export type HistogramRow = { readonly name: string; readonly binned: Binned; readonly says: string };

const height = 46;

/** Histograms below each other on one axis and with one height, so that before and after can be compared by looking down. */
export function histogramsOf(rows: readonly HistogramRow[], axis: Axis): HTMLElement {
  const chart = element("div", "histograms");
  const most = Math.max(1, ...rows.flatMap(({ binned }) => binned.bins));
  for (const { name, binned, says } of rows) {
    const line = element("div", "histogram");
    line.append(element("span", "histogram-name", name));
    const plot = element("div", "histogram-plot");
    plot.setAttribute("role", "img");
    plot.setAttribute("aria-label", `${name}: ${says}`);
    const svg = svgElement("svg", { width: "100%", height, class: "histogram-svg" });
    for (const [i, count] of binned.bins.entries()) {
      if (count === 0) continue;
      const { from, to } = binEnds(binned, i, axis);
      const tall = Math.max(2, (count / most) * (height - 2));
      const drawn = svgElement("rect", {
        ...{ class: "histogram-bin", x: `${from}%`, width: `${Math.max(0.8, to - from)}%` },
        ...{ y: height - tall, height: tall },
      });
      const tip = svgElement("title", {});
      tip.textContent = `${count} from ${axis.say(edge(binned, i))} to ${axis.say(edge(binned, i + 1))}`;
      drawn.append(tip);
      svg.append(drawn);
    }
    svg.append(
      svgElement("line", { class: "histogram-base", x1: 0, x2: "100%", y1: height - 0.5, y2: height - 0.5 }),
    );
    plot.append(svg);
    line.append(plot, element("span", "histogram-says", says));
    chart.append(line);
  }
  const foot = element("div", "histogram foot");
  const under = element("div", "histogram-plot");
  under.append(ticksOf(axis));
  foot.append(element("span", "histogram-name"), under, element("span", "histogram-says"));
  chart.append(foot);
  return chart;
}

const edge = ({ min, max, bins }: Binned, i: number): number =>
  min + ((max - min) * i) / Math.max(1, bins.length);

/** A single bin is a thin bar where its value is. */
function binEnds(binned: Binned, i: number, axis: Axis): { from: number; to: number } {
  if (binned.max <= binned.min) {
    const at = placeOn(axis, binned.min);
    return { from: Math.max(0, at - 1), to: Math.min(100, at + 1) };
  }
  return { from: placeOn(axis, edge(binned, i)), to: placeOn(axis, edge(binned, i + 1)) };
}
