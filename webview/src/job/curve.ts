import { extent, line, max, scaleLinear, select } from "d3";
import type { JobDetail } from "../../../shared/protocol/views/job.ts";
import { betterWords } from "../../../shared/words/metricWords.ts";
import { element } from "../shared/dom.ts";
import { valueText } from "../shared/numbers.ts";

type Point = JobDetail["curve"][number];
const [width, height] = [640, 180];
const margin = { top: 10, right: 12, bottom: 22, left: 48 };

export type Curve = {
  readonly node: HTMLElement;
  readonly update: (points: readonly Point[], stepsTotal: number | null) => void;
};

/** The reward over the steps as a line, with the same as a table below it. */
export function createCurve(): Curve {
  const node = element("section", "curve");
  const title = element("h2", "", "Reward over steps ");
  title.append(element("span", "quiet", betterWords.higher));
  const figure = element("figure");
  const svg = select(figure).append("svg").attr("viewBox", `0 0 ${width} ${height}`).attr("role", "img");
  const [axes, path, dot] = [
    svg.append("g").attr("class", "axes"),
    svg.append("path").attr("class", "line"),
    svg.append("circle").attr("class", "last").attr("r", 3.5),
  ];
  const details = element("details");
  const table = element("table");
  details.append(element("summary", "", "As a table"), table);
  const none = element("p", "quiet", "No reward has been reported yet.");
  node.append(title, figure, details, none);

  function update(points: readonly Point[], stepsTotal: number | null): void {
    const last = points.at(-1);
    figure.hidden = details.hidden = last === undefined;
    none.hidden = last !== undefined;
    if (last === undefined) return;
    const [low = 0, high = 0] = extent(points, ({ reward }) => reward);
    const pad = high > low ? 0 : Math.max(0.5, Math.abs(high) / 2);
    const x = scaleLinear(
      [Math.min(0, points[0]?.step ?? 0), stepsTotal ?? max(points, ({ step }) => step) ?? 1],
      [margin.left, width - margin.right],
    );
    const y = scaleLinear([low - pad, high + pad], [height - margin.bottom, margin.top]).nice(4);
    svg.attr(
      "aria-label",
      `Reward from ${valueText(points[0]?.reward ?? 0)} to ${valueText(last.reward)} at step ${last.step}; lowest ${valueText(low)}, highest ${valueText(high)}. The table below has all values.`,
    );
    drawAxes(axes, x, y);
    path.attr(
      "d",
      line<Point>(
        ({ step }) => x(step),
        ({ reward }) => y(reward),
      )(points),
    );
    dot.attr("cx", x(last.step)).attr("cy", y(last.reward));
    fillTable(table, points);
  }
  return { node, update };
}

type Scale = ReturnType<typeof scaleLinear<number, number>>;

function drawAxes(axes: ReturnType<typeof select<SVGGElement, unknown>>, x: Scale, y: Scale): void {
  const marks = [
    ...y.ticks(4).map((value) => ({
      key: `y${value}`,
      text: valueText(value),
      x: margin.left - 6,
      y: y(value) + 4,
      anchor: "end",
      from: [margin.left, y(value)],
      to: [width - margin.right, y(value)],
    })),
    ...x.ticks(6).map((value) => ({
      key: `x${value}`,
      text: String(value),
      x: x(value),
      y: height - 6,
      anchor: "middle",
      from: [x(value), height - margin.bottom],
      to: [x(value), height - margin.bottom + 4],
    })),
  ];
  type Mark = (typeof marks)[number];
  axes
    .selectAll<SVGLineElement, Mark>("line")
    .data(marks, ({ key }) => key)
    .join("line")
    .attr("x1", ({ from }) => from[0] ?? 0)
    .attr("y1", ({ from }) => from[1] ?? 0)
    .attr("x2", ({ to }) => to[0] ?? 0)
    .attr("y2", ({ to }) => to[1] ?? 0);
  axes
    .selectAll<SVGTextElement, Mark>("text")
    .data(marks, ({ key }) => key)
    .join("text")
    .attr("x", (mark) => mark.x)
    .attr("y", (mark) => mark.y)
    .attr("text-anchor", ({ anchor }) => anchor)
    .text(({ text }) => text);
}

function fillTable(table: HTMLTableElement, points: readonly Point[]): void {
  const head = element("tr");
  for (const name of ["Step", "Reward"]) {
    const cell = element("th", "", name);
    cell.scope = "col";
    head.append(cell);
  }
  table.replaceChildren(
    element("caption", "", "Newest first"),
    head,
    ...[...points].reverse().map(({ step, reward }) => {
      const row = element("tr");
      row.append(element("td", "", String(step)), element("td", "", valueText(reward)));
      return row;
    }),
  );
}
