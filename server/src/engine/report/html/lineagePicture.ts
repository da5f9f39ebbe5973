import { decisionLooks } from "../../../../../shared/words/decisions.ts";
import { counted, percent } from "../../../../../shared/words/numbers.ts";
import type { ReportedVersion } from "../../../../../shared/report/evolutionReport.ts";
import { html, nothing, type Markup } from "./markup.ts";

const rowHeight = 26;
const widestLane = 18;
/** With many lanes each is narrower, so that the names keep their room. */
const mostLaneWidth = 360;
const chartWidth = 150;
const nameLength = 30;

/** Where a version stands in the picture: its row, and the lane that its line of descent goes down. */
interface Place {
  readonly version: ReportedVersion;
  readonly row: number;
  readonly lane: number;
}

/**
 * The lane of each version: the first child goes on in the lane of its parent; every other one has a lane that is free from
 * its parent down to it, so that no line passes through a version that it does not come from.
 */
export function placesOf(versions: readonly ReportedVersion[]): Place[] {
  const places = new Map<string, Place>();
  /** The last row in which each lane is used. */
  const used: number[] = [];
  const lastChild = new Map<string, number>();
  for (const [row, { parent }] of versions.entries()) if (parent !== null) lastChild.set(parent, row);
  const goesOn = new Set<string>();
  for (const [row, version] of versions.entries()) {
    const parent = version.parent === null ? undefined : places.get(version.parent);
    const continues = parent !== undefined && !goesOn.has(parent.version.name);
    const from = parent === undefined ? row : parent.row + 1;
    const free = used.findIndex((until) => until < from);
    const lane = continues ? parent.lane : free === -1 ? used.length : free;
    if (continues) goesOn.add(parent.version.name);
    used[lane] = Math.max(row, lastChild.get(version.name) ?? row, used[lane] ?? 0);
    places.set(version.name, { version, row, lane });
  }
  return [...places.values()];
}

/** The versions as a graph, from top to bottom, each with its name, its decision and its score with the interval. */
export function lineagePicture(versions: readonly ReportedVersion[]): Markup {
  const places = placesOf(versions);
  if (places.length === 0) return nothing;
  const byName = new Map(places.map((place) => [place.version.name, place]));
  const lanes = 1 + Math.max(...places.map(({ lane }) => lane));
  const laneWidth = Math.min(widestLane, mostLaneWidth / lanes);
  const left = Math.ceil(lanes * laneWidth + 12);
  const longest = Math.max(...versions.map(({ name }) => Math.min(nameLength, name.length)));
  const chart = left + longest * 7.6 + 76;
  const scores = versions.flatMap(({ score }) => score ?? []);
  const width = Math.ceil(chart + (scores.length === 0 ? 0 : chartWidth + 56));
  const height = places.length * rowHeight + (scores.length === 0 ? 8 : 26);
  const scale = scaleOf(scores, chart);
  return html`<svg
    viewBox="0 0 ${width} ${height}"
    width="${width}"
    height="${height}"
    role="img"
    aria-labelledby="picture"
  >
    <title id="picture">
      The lineage: ${counted(versions.length, "version")} from top to bottom, parents before their children.
      The table below says the same.
    </title>
    ${places.map((place) => edges(place, byName, laneWidth))}
    ${places.map((place) => row(place, { left, scale, laneWidth }))}
    ${scores.length === 0 ? nothing : axis(scale, places.length * rowHeight)}
  </svg>`;
}

interface Scale {
  readonly low: number;
  readonly high: number;
  readonly x: (share: number) => number;
}

/** A scale over the scores with their intervals. */
function scaleOf(scores: readonly { readonly low: number; readonly high: number }[], from: number): Scale {
  const low = Math.max(0, Math.floor(10 * Math.min(1, ...scores.map((s) => s.low))) / 10);
  const high = Math.min(1, Math.ceil(10 * Math.max(0, ...scores.map((s) => s.high))) / 10);
  const span = high > low ? high - low : 1;
  const rounded = (x: number): number => Math.round(10 * x) / 10;
  return { low, high, x: (share) => rounded(from + (chartWidth * (share - low)) / span) };
}

const xOf = ({ lane }: Place, laneWidth: number): number => Math.round(12 + lane * laneWidth);
const yOf = ({ row: at }: Place): number => at * rowHeight + rowHeight / 2;

function edges(place: Place, byName: ReadonlyMap<string, Place>, laneWidth: number): Markup[] {
  return [place.version.parent, place.version.merges].flatMap((name) => {
    const parent = name === null ? undefined : byName.get(name);
    if (parent === undefined) return [];
    const [x1, y1, x2, y2] = [xOf(parent, laneWidth), yOf(parent), xOf(place, laneWidth), yOf(place)];
    // Down the lane of the parent, and across in the last row but one.
    const path =
      x1 === x2
        ? `M${x1} ${y1}V${y2}`
        : `M${x1} ${y1}C${x1} ${y1 + rowHeight} ${x2} ${y1} ${x2} ${y1 + rowHeight}V${y2}`;
    return [html`<path class="edge" d="${path}" />`];
  });
}

function row(
  place: Place,
  { left, scale, laneWidth }: { readonly left: number; readonly scale: Scale; readonly laneWidth: number },
): Markup {
  const { name, score, decisions, promotion } = place.version;
  const look = decisionLooks[decisions.at(-1)?.decision ?? "pending"];
  const [x, y] = [xOf(place, laneWidth), yOf(place)];
  const shown = name.length > nameLength ? `${name.slice(0, nameLength - 1)}…` : name;
  return html`<circle class="halo" cx="${x}" cy="${y}" r="8" /><text
      class="mark ${look.word}"
      x="${x}"
      y="${y + 5}"
      >${look.mark}</text
    ><text x="${left}" y="${y + 4.5}">${shown}${promotion === null ? "" : " ★"}</text>${
      score === null
        ? nothing
        : html`<text class="quiet" x="${scale.x(scale.low) - 8}" y="${y + 4.5}" text-anchor="end"
              >${percent(score.value)}</text
            ><line
              class="bar"
              x1="${scale.x(score.low)}"
              x2="${scale.x(score.high)}"
              y1="${y}"
              y2="${y}"
            /><circle class="point" cx="${scale.x(score.value)}" cy="${y}" r="3" />`
    } `;
}

function axis({ low, high, x }: Scale, y: number): Markup {
  return html`<line class="rule" x1="${x(low)}" x2="${x(high)}" y1="${y + 2}" y2="${y + 2}" /><text
      class="quiet"
      x="${x(low)}"
      y="${y + 18}"
      >${percent(low)}</text
    ><text class="quiet" x="${x(high)}" y="${y + 18}" text-anchor="end">${percent(high)}</text>`;
}
