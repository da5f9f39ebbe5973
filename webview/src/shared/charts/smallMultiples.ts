import { line, scaleLinear } from "d3";
import { alertLooks, decisionLooks } from "../../../../shared/words/decisions.ts";
import { element, svgElement } from "../dom.ts";
import { figureText } from "../numbers.ts";
import { textAt } from "./svgText.ts";
import "./smallMultiples.css";

/** One curve of a panel. Steps ascend. */
export type CurveLine = {
  readonly label: string;
  /** Its place among what is compared: the same look in every panel. */
  readonly place: number;
  readonly steps: readonly number[];
  readonly values: readonly number[];
  readonly isLive: boolean;
  /** Whether its numbers count: one that does not is marked where it ends. */
  readonly isTrusted: boolean;
  readonly marks: readonly { readonly step: number; readonly text: string }[];
};
export type CurvePanel = {
  readonly title: string;
  /** What the title means, for who points at it. */
  readonly hint: string;
  /** Which way is better, in words; it makes room for the numbers at the pointer. */
  readonly better: string;
  readonly lines: readonly CurveLine[];
};

export type SmallMultiples = {
  readonly node: HTMLElement;
  /** `smoothing` is how much of the curve before a step counts at it, 0 to 1. */
  readonly update: (panels: readonly CurvePanel[], smoothing: number) => void;
};

const [width, height] = [320, 150];
const margin = { top: 12, right: 10, bottom: 20, left: 46 };

/** Told apart by dashes and a letter at their end as well as by colour. */
const dashes = ["", "7 3", "2 3", "8 3 2 3", "1 5"] as const;
const colours = ["foreground", "blue", "green", "orange", "purple"] as const;

const letterOf = (place: number): string => String.fromCharCode(65 + (place % 26));

/** A short piece of the line of something that is compared, with its letter. */
export function lineSample(place: number): SVGSVGElement {
  const svg = svgElement("svg", { class: "sample", width: 40, height: 14, "aria-hidden": "true" });
  const stroke = svgElement("path", { class: "curve", d: "M0,7H26", "stroke-dasharray": dashOf(place) });
  stroke.style.stroke = colourOf(place);
  const letter = svgElement("text", { x: 30, y: 11 });
  letter.textContent = letterOf(place);
  svg.append(stroke, letter);
  return svg;
}

/** Charts beside each other on one axis of steps; the pointer reads all of them at the same step. */
export function createSmallMultiples(): SmallMultiples {
  const node = element("div", "multiples");
  let cursors: ((step: number | null) => void)[] = [];
  const point = (step: number | null): void => {
    for (const move of cursors) move(step);
  };
  return {
    node,
    update: (panels, smoothing) => {
      const steps = panels.flatMap(({ lines }) =>
        lines.flatMap((one) => [one.steps[0] ?? 0, one.steps.at(-1) ?? 0]),
      );
      const [first, last] = [Math.min(...steps), Math.max(...steps)];
      const x = scaleLinear([first, last > first ? last : first + 1], [margin.left, width - margin.right]);
      cursors = [];
      node.replaceChildren(
        ...panels.map((panel) => {
          const { figure, move } = panelOf(panel, { x, smoothing, point });
          cursors.push(move);
          return figure;
        }),
      );
    },
  };
}

type Scale = ReturnType<typeof scaleLinear<number, number>>;

function panelOf(
  { title, hint, better, lines }: CurvePanel,
  {
    x,
    smoothing,
    point,
  }: { readonly x: Scale; readonly smoothing: number; readonly point: (step: number | null) => void },
): { readonly figure: HTMLElement; readonly move: (step: number | null) => void } {
  const figure = element("figure");
  const caption = element("figcaption", "", title);
  caption.title = hint;
  const read = element("span", "quiet", better);
  caption.append(" ", read);
  const drawn = lines.map((one) => ({ ...one, smooth: smoothed(one.values, smoothing) }));
  const values = drawn.flatMap((one) => one.values);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const y = scaleLinear(low < high ? [low, high] : [low - 0.5, low + 0.5], [
    height - margin.bottom,
    margin.top,
  ]).nice(3);
  const svg = svgElement("svg", {
    viewBox: `0 0 ${width} ${height}`,
    role: "img",
    "aria-label": `${title}, ${better}. ${lines.map(saidOf).join(". ")}`,
  });
  for (const tick of y.ticks(3)) {
    const at = y(tick);
    svg.append(
      svgElement("line", { class: "grid", x1: margin.left, x2: width - margin.right, y1: at, y2: at }),
      textAt(figureText(tick), [margin.left - 5, at + 4], "end", "tick"),
    );
  }
  // There is no step between two.
  for (const tick of x.ticks(4).filter(Number.isInteger))
    svg.append(textAt(figureText(tick), [x(tick), height - 5], "middle", "tick"));
  const cursor = svgElement("line", { class: "cursor", y1: margin.top, y2: height - margin.bottom });
  cursor.setAttribute("visibility", "hidden");
  svg.append(cursor);
  const letters = apart(drawn.map((one) => [x(one.steps.at(-1) ?? 0), y(one.smooth.at(-1) ?? 0)]));
  for (const one of drawn) svg.append(...lineOf(one, { x, y, isSmooth: smoothing > 0 }));
  // No line lies over a letter.
  for (const [i, { place, isTrusted }] of drawn.entries()) {
    const [left, top] = letters[i] ?? [0, 0];
    svg.append(textAt(letterOf(place), [left, top], "start", "letter"));
    if (!isTrusted)
      svg.append(textAt(decisionLooks.invalid.mark, [left, top - 10], "start", "untrusted-end"));
  }
  svg.addEventListener("pointermove", (event) => {
    const box = svg.getBoundingClientRect();
    point(x.invert(((event.clientX - box.left) / box.width) * width));
  });
  svg.addEventListener("pointerleave", () => point(null));
  figure.append(caption, svg);
  return {
    figure,
    move: (step) => {
      cursor.setAttribute("visibility", step === null ? "hidden" : "visible");
      if (step !== null) for (const end of ["x1", "x2"]) cursor.setAttribute(end, String(x(step)));
      read.textContent = step === null ? better : readAt(drawn, step);
    },
  };
}

type Point = readonly [number, number];

/** Where the letters of curves stand: at their ends, and one that would lie on another beside it. */
function apart(ends: readonly Point[]): readonly Point[] {
  const placed: Point[] = [];
  for (const [x, y] of ends) {
    let at: Point = [Math.min(x, width - 12) + 2, Math.max(9, y - 5)];
    while (placed.some((other) => Math.abs(other[0] - at[0]) < 9 && Math.abs(other[1] - at[1]) < 9))
      at = [at[0] - 10, at[1]];
    placed.push(at);
  }
  return placed;
}

type Drawn = CurveLine & { readonly smooth: readonly number[] };

function lineOf(
  { place, steps, values, smooth, isLive, marks }: Drawn,
  { x, y, isSmooth }: { readonly x: Scale; readonly y: Scale; readonly isSmooth: boolean },
): SVGElement[] {
  const pathOf = (of: readonly number[]): string =>
    line<number>(
      (step) => x(step),
      (_, i) => y(of[i] ?? 0),
    )([...steps]) ?? "";
  const curve = svgElement("path", { class: "curve", d: pathOf(smooth), "stroke-dasharray": dashOf(place) });
  curve.style.stroke = colourOf(place);
  const parts: SVGElement[] = [];
  if (isSmooth) {
    const raw = svgElement("path", { class: "raw", d: pathOf(values) });
    raw.style.stroke = colourOf(place);
    parts.push(raw);
  }
  parts.push(curve);
  const end = [x(steps.at(-1) ?? 0), y(smooth.at(-1) ?? 0)] as const;
  if (isLive) {
    const dot = svgElement("circle", { class: "live", cx: end[0], cy: end[1], r: 3.5 });
    dot.style.fill = colourOf(place);
    parts.push(dot);
  }
  for (const { step, text } of marks) {
    const at = steps.findIndex((known) => known >= step);
    const place = at < 0 ? steps.length - 1 : at;
    // The mark that an alarm has in words: a filled triangle says that something is better, or worse.
    const mark = textAt(
      alertLooks.warning.mark,
      [x(steps[place] ?? 0), y(smooth[place] ?? 0) + 4],
      "middle",
      `alarm colour-${alertLooks.warning.colour}`,
    );
    const title = svgElement("title", {});
    title.textContent = text;
    mark.append(title);
    parts.push(mark);
  }
  return parts;
}

/** A moving average in which what lies further back counts less; the first steps are not drawn towards nothing. */
function smoothed(values: readonly number[], smoothing: number): readonly number[] {
  if (smoothing <= 0) return values;
  let [sum, weight] = [0, 0];
  return values.map((value) => {
    sum = smoothing * sum + (1 - smoothing) * value;
    weight = smoothing * weight + (1 - smoothing);
    return sum / weight;
  });
}

/** `step 40: A 0.61, B 0.55`. */
function readAt(lines: readonly Drawn[], step: number): string {
  const said = lines.flatMap(({ place, steps, smooth }) => {
    const at = steps.findLastIndex((known) => known <= step);
    return at < 0 || step > (steps.at(-1) ?? 0) + 1
      ? []
      : [`${letterOf(place)} ${figureText(smooth[at] ?? 0)}`];
  });
  return `step ${Math.round(step)}: ${said.join(", ")}`;
}

const saidOf = ({ label, place, steps, values, marks, isTrusted }: CurveLine): string =>
  `${letterOf(place)}, ${label}${isTrusted ? "" : ", not to be trusted"}: ${figureText(values[0] ?? 0)} at step ${steps[0] ?? 0} to ${figureText(values.at(-1) ?? 0)} at step ${steps.at(-1) ?? 0}${marks.map(({ text }) => `, ${text}`).join("")}`;

const dashOf = (place: number): string => dashes[place % dashes.length] ?? "";
const colourOf = (place: number): string =>
  `var(--vscode-charts-${colours[place % colours.length] ?? "foreground"})`;
