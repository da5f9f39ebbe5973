import { scaleLinear, type ScaleLinear } from "d3";
import { decisionLook, type ShownDecision, type VerdictWord } from "../../../../shared/words/decisions.ts";
import { shortName } from "../../../../shared/words/shortName.ts";
import { element, svgElement } from "../dom.ts";
import { percentText, setPercentText } from "../numbers.ts";
import { shapePath } from "./decisionShape.ts";
import { textAt } from "./svgText.ts";
import "./scoreByVersion.css";

/** One version of the picture. Scores are shares in [0, 1]; null where there is none. */
export type ScoredVersion = {
  readonly name: string;
  readonly decision: ShownDecision;
  /** How it compares with the version that it was decided against; absent where it was not compared. */
  readonly verdict?: VerdictWord | undefined;
  /** Whether the score counts; one that does not is never part of what is best. */
  readonly isTrusted: boolean;
  readonly isBest: boolean;
  readonly score: number | null;
  readonly low: number | null;
  readonly high: number | null;
  /** Of a score that does not count: what is left of it without what made it invalid. */
  readonly clean: number | null;
  readonly audit: number | null;
  readonly seeds: readonly number[];
  /** The best score that was kept up to here. */
  readonly frontier: number | null;
  /** All of its numbers in words. */
  readonly says: string;
};

export type ScorePicture = {
  readonly node: HTMLElement;
  /**
   * Draws anew what is another. `of` gives the versions in the order of their making, at most as many as have room; the same
   * list again for the same versions.
   */
  readonly update: (of: (room: number) => readonly ScoredVersion[], selected: string | null) => void;
};

const height = 150;
const margin = { top: 14, right: 14, bottom: 20, left: 44 };
/** Closer than this two versions cannot be told apart. */
const leastStep = 9;
/** About the width of a character of the names. */
const characterWidth = 6.5;

type Plot = {
  readonly x: (place: number) => number;
  readonly y: ScaleLinear<number, number>;
  readonly width: number;
};

/**
 * Scores by version, with their intervals, the best score that was kept so far, what the audit split and the seeds say. A score
 * that does not count is struck through and faint; the point of its version is what is left of it. The
 * pointer reads the version nearest to it, and a click opens it; by keyboard the list of versions below says the same.
 */
export function createScorePicture(open: (name: string) => void): ScorePicture {
  const node = element("figure", "score-picture");
  const svg = svgElement("svg", { height, role: "img" });
  const readout = element("figcaption", "readout");
  node.append(svg, readout);
  let width = 0;
  let source: (room: number) => readonly ScoredVersion[] = () => [];
  let selected: string | null = null;
  let versions: readonly ScoredVersion[] = [];
  let pointed = -1;

  let drawn: { readonly versions: readonly ScoredVersion[]; readonly width: number } | undefined;
  const here = svgElement("line", { class: "here", y1: margin.top, y2: height - margin.bottom });

  const draw = (): void => {
    if (width === 0) return;
    versions = source(Math.max(1, Math.floor((width - margin.left - margin.right) / leastStep)));
    node.hidden = versions.every(({ score }) => score === null);
    if (node.hidden) return;
    if (drawn?.versions !== versions || drawn.width !== width) drawAll();
    const chosen = versions.findIndex(({ name }) => name === selected);
    here.setAttribute("visibility", chosen < 0 ? "hidden" : "visible");
    for (const end of ["x1", "x2"])
      here.setAttribute(end, String(plotOf(versions, width).x(Math.max(0, chosen))));
    tell();
  };
  const drawAll = (): void => {
    drawn = { versions, width };
    pointed = -1;
    svg.setAttribute("width", String(width));
    svg.setAttribute("aria-label", summaryOf(versions));
    svg.replaceChildren(here, ...drawingOf(versions, plotOf(versions, width)));
  };
  const tell = (): void => {
    const shown = versions[pointed] ?? versions.find(({ name }) => name === selected);
    readout.replaceChildren(legendOf(versions, selected), element("span", "says", shown?.says ?? ""));
  };
  const nearest = (event: MouseEvent): number => {
    const { x } = plotOf(versions, width);
    const at = event.clientX - svg.getBoundingClientRect().left;
    let best = -1;
    for (let i = 0; i < versions.length; i++)
      if (best < 0 || Math.abs(x(i) - at) < Math.abs(x(best) - at)) best = i;
    return best;
  };
  svg.addEventListener("pointermove", (event) => {
    const next = nearest(event);
    if (next === pointed) return;
    pointed = next;
    svg.querySelector(".cursor")?.setAttribute("x", String(plotOf(versions, width).x(next) - 10));
    svg.classList.add("pointed");
    tell();
  });
  svg.addEventListener("pointerleave", () => {
    pointed = -1;
    svg.classList.remove("pointed");
    tell();
  });
  svg.addEventListener("click", (event) => {
    const name = versions[nearest(event)]?.name;
    if (name !== undefined) open(name);
  });
  new ResizeObserver(([entry]) => {
    const next = Math.floor(entry?.contentRect.width ?? 0);
    if (next === width || next === 0) return;
    width = next;
    // What is drawn may make the page scroll, which changes the width again: not in the same frame.
    requestAnimationFrame(draw);
  }).observe(node);
  return {
    node,
    update: (of, nextSelected) => {
      [source, selected] = [of, nextSelected];
      draw();
    },
  };
}

function plotOf(versions: readonly ScoredVersion[], width: number): Plot {
  const known = versions.flatMap(({ score, low, high, clean, audit, seeds, isTrusted }) =>
    (isTrusted ? [score, low, high, audit, ...seeds] : [score, clean]).filter((value) => value !== null),
  );
  const [low, high] = [Math.min(...known), Math.max(...known)];
  const room = Math.max(0.01, (high - low) * 0.06);
  const step = (width - margin.left - margin.right) / Math.max(1, versions.length);
  return {
    x: (place) => margin.left + step * (place + 0.5),
    y: scaleLinear(
      [Math.max(0, low - room), Math.min(1, high + room)],
      [height - margin.bottom, margin.top],
    ).nice(4),
    width,
  };
}

function drawingOf(versions: readonly ScoredVersion[], plot: Plot): SVGElement[] {
  const cursor = svgElement("rect", {
    class: "cursor",
    x: -40,
    y: margin.top,
    width: 20,
    height: height - margin.top - margin.bottom,
  });
  return [
    ...gridOf(plot),
    cursor,
    svgElement("path", { class: "frontier", d: frontierOf(versions, plot) }),
    ...versions.flatMap((version, place) => markOf(version, plot.x(place), plot.y)),
    ...namesOf(versions, plot),
  ];
}

function gridOf({ y, width }: Plot): SVGElement[] {
  return y.ticks(4).flatMap((value) => [
    svgElement("line", {
      class: "grid",
      x1: margin.left,
      x2: width - margin.right,
      y1: y(value),
      y2: y(value),
    }),
    textAt(setPercentText(value), [margin.left - 6, y(value) + 4], "end"),
  ]);
}

/** A step up wherever a better version was kept. */
function frontierOf(versions: readonly ScoredVersion[], { x, y, width }: Plot): string {
  let path = "";
  for (const [place, { frontier }] of versions.entries()) {
    if (frontier === null) continue;
    path += path === "" ? `M${x(place)},${y(frontier)}` : `H${x(place)}V${y(frontier)}`;
  }
  return path === "" ? "" : `${path}H${width - margin.right}`;
}

function markOf(version: ScoredVersion, x: number, y: Plot["y"]): SVGElement[] {
  const { score, low, high, audit, seeds, isTrusted, isBest } = version;
  if (score === null) return [];
  if (!isTrusted) return voidMarkOf(version, [x, y(score)], y);
  const parts: SVGElement[] = [];
  if (low !== null && high !== null) {
    const [top, bottom] = [y(high), y(low)];
    parts.push(
      svgElement("path", {
        class: "whisker",
        d: `M${x},${top}V${bottom}M${x - 3},${top}h6M${x - 3},${bottom}h6`,
      }),
    );
  }
  if (seeds.length > 1)
    for (const seed of seeds)
      parts.push(svgElement("circle", { class: "seed", cx: x - 4, cy: y(seed), r: 1.7 }));
  if (audit !== null)
    parts.push(
      svgElement("path", { class: "gap", d: `M${x},${y(score)}L${x + 5},${y(audit)}` }),
      svgElement("circle", { class: "audit", cx: x + 5, cy: y(audit), r: 3.5 }),
    );
  parts.push(shapeOf(version, [x, y(score)]));
  if (isBest) parts.push(textAt("★", [x, Math.max(10, y(high ?? score) - 4)], "middle", "best"));
  return parts;
}

type Place = readonly [number, number];

function shapeOf({ decision, verdict }: Pick<ScoredVersion, "decision" | "verdict">, at: Place): SVGElement {
  const { colour, isOpen } = decisionLook(decision, verdict);
  return svgElement("path", {
    class: `mark ${decision} colour-${colour}${isOpen ? " open" : ""}`,
    d: shapePath(decision),
    transform: `translate(${at.join(",")}) scale(0.85)`,
  });
}

/** A score that does not count, hollow, faint and struck through. */
function claimedOf({ decision }: Pick<ScoredVersion, "decision">, at: Place): SVGElement {
  const claimed = svgElement("g", { class: "claimed", transform: `translate(${at.join(",")})` });
  claimed.append(
    svgElement("path", {
      class: `mark open colour-${decisionLook(decision).colour}`,
      d: shapePath(decision),
      transform: "scale(0.85)",
    }),
    svgElement("path", { class: "strike", d: "M-9,0H9" }),
  );
  return claimed;
}

/** The point of a version that is not valid is what is left of its score; what it claims hangs above. */
function voidMarkOf(version: ScoredVersion, [x, top]: Place, y: Plot["y"]): SVGElement[] {
  const { clean } = version;
  const said = textAt("not valid", [x, top + 20], "middle", "void");
  if (clean === null) return [claimedOf(version, [x, top]), said];
  return [
    svgElement("path", { class: "gap", d: `M${x},${top + 26}V${y(clean)}` }),
    claimedOf(version, [x, top]),
    shapeOf(version, [x, y(clean)]),
    said,
  ];
}

/** Names below the axis, those that matter most first, none over another. */
function namesOf(versions: readonly ScoredVersion[], { x, width }: Plot): SVGElement[] {
  const rank = ({ isBest, isTrusted, decision }: ScoredVersion, place: number): number => {
    if (isBest) return 0;
    if (place === 0 || place === versions.length - 1) return 1;
    if (!isTrusted) return 2;
    return decision === "keep" || decision === "merge" ? 3 : 4;
  };
  const taken: (readonly [number, number])[] = [];
  return versions
    .map((version, place) => ({ version, place, rank: rank(version, place) }))
    .sort((a, b) => a.rank - b.rank || b.place - a.place)
    .flatMap(({ version, place }) => {
      const name = shortName(version.name);
      const half = (name.length * characterWidth) / 2;
      const at = Math.min(Math.max(x(place), half), width - half);
      const [from, to] = [at - half - 3, at + half + 3];
      if (half > width / 3 || taken.some(([start, end]) => from < end && to > start)) return [];
      taken.push([from, to]);
      return [textAt(name, [at, height - 5], "middle")];
    });
}

/** What each sign of the picture means: all of those that are in it, and no other. */
function legendOf(versions: readonly ScoredVersion[], selected: string | null): HTMLElement {
  const legend = element("span", "legend");
  const entry = (sign: Node, text: string): void => {
    const made = element("span", "entry");
    made.append(sign, ` ${text}`);
    legend.append(made);
  };
  const drawn = (text: string, ...signs: SVGElement[]): void => {
    const svg = svgElement("svg", { width: 18, height: 14, "aria-hidden": "true" });
    svg.append(...signs);
    entry(svg, text);
  };
  const middle = [9, 7] as const;
  const scored = versions.filter((v) => v.score !== null);
  const counted = scored.filter(({ isTrusted }) => isTrusted);
  const voided = scored.filter(({ isTrusted }) => !isTrusted);
  const looks = new Map(counted.map((v) => [decisionLook(v.decision, v.verdict), v]));
  for (const [{ became }, version] of looks) drawn(became, shapeOf(version, middle));
  const [claimed] = voided;
  const left = voided.find(({ clean }) => clean !== null);
  if (left !== undefined) drawn("not valid, its clean score", shapeOf(left, middle));
  if (claimed !== undefined) drawn("claimed score, does not count", claimedOf(claimed, middle));
  if (scored.some(({ isBest }) => isBest)) entry(element("span", "", "★"), "best");
  if (scored.some(({ frontier }) => frontier !== null))
    drawn("best kept so far", svgElement("path", { class: "frontier", d: "M0,7H18" }));
  if (counted.some(({ audit }) => audit !== null))
    drawn("on the audit split", svgElement("circle", { class: "audit", cx: 9, cy: 7, r: 3.5 }));
  if (counted.some(({ seeds }) => seeds.length > 1))
    drawn("one seed", svgElement("circle", { class: "seed", cx: 9, cy: 7, r: 1.7 }));
  if (counted.some(({ low }) => low !== null))
    drawn("95 % interval", svgElement("path", { class: "whisker", d: "M9,1V13M6,1h6M6,13h6" }));
  if (scored.some(({ name }) => name === selected))
    drawn("selected", svgElement("line", { class: "here", x1: 9, x2: 9, y1: 0, y2: 14 }));
  return legend;
}

function summaryOf(versions: readonly ScoredVersion[]): string {
  const scored = versions.filter(({ score }) => score !== null);
  const best = scored.find(({ isBest }) => isBest);
  const voided = scored.filter(({ isTrusted }) => !isTrusted).map(({ name }) => name);
  return [
    `Scores of ${scored.length} versions.`,
    best === undefined
      ? "None was kept."
      : `Best that was kept: ${best.name}, ${percentText(best.score ?? 0)}.`,
    voided.length === 0 ? "" : `Not valid: ${voided.slice(0, 5).join(", ")}.`,
    "The list below has all numbers.",
  ]
    .filter((part) => part !== "")
    .join(" ");
}
