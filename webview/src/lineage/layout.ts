import type { LineageVersion } from "../../../shared/protocol/lineage.ts";

export const rowHeight = 44;
export const laneWidth = 18;
const margin = 16;

export type Row = {
  readonly version: LineageVersion;
  readonly lane: number;
  readonly x: number;
  readonly y: number;
};

/** A line from a version up the list to its child: straight in the child's lane, bent into the parent's. */
export type Edge = {
  readonly id: string;
  readonly from: { readonly x: number; readonly y: number };
  readonly to: { readonly x: number; readonly y: number };
};

export type LineageLayout = {
  readonly rows: readonly Row[];
  readonly edges: readonly Edge[];
  readonly width: number;
  readonly height: number;
};

/** The way from the newest kept version (or the newest at all) back to its root: it runs straight in the first lane. */
function mainLine(
  versions: readonly LineageVersion[],
  byName: ReadonlyMap<string, LineageVersion>,
): Set<string> {
  const kept = versions.filter(
    ({ decision }) => decision === "keep" || decision === "merge" || decision === "base",
  );
  const line = new Set<string>();
  let version = kept.at(-1) ?? versions.at(-1);
  while (version && !line.has(version.name)) {
    line.add(version.name);
    version = version.parent === null ? undefined : byName.get(version.parent);
  }
  return line;
}

/**
 * Places versions as rows, newest first, in lanes as git graphs do: a side branch takes the first lane that is free
 * from its newest version down to the row of its parent. A parent that the lineage does not hold draws no line.
 */
export function layoutLineage(all: readonly LineageVersion[]): LineageLayout {
  const byName = new Map(all.map((version) => [version.name, version]));
  const versions = [...byName.values()];
  const main = mainLine(versions, byName);
  const newestFirst = [...versions].reverse();
  const rowOf = new Map(newestFirst.map(({ name }, row) => [name, row]));
  const laneOf = new Map<string, number>();
  /** Per lane the row up to which it is taken. */
  const takenTo: number[] = [Infinity];
  for (const [row, { name, parent }] of newestFirst.entries()) {
    const parentRow = parent === null ? undefined : rowOf.get(parent);
    const end = parentRow !== undefined && parentRow > row ? parentRow : row;
    let lane = main.has(name) ? 0 : laneOf.get(name);
    if (lane === undefined) {
      const free = takenTo.findIndex((to) => to <= row);
      lane = free < 0 ? takenTo.length : free;
    }
    laneOf.set(name, lane);
    if (lane > 0) takenTo[lane] = Math.max(takenTo[lane] ?? 0, end);
    // A side branch hands its lane on to its parent, unless another child did so before.
    if (parent !== null && !main.has(parent) && lane > 0 && !laneOf.has(parent)) laneOf.set(parent, lane);
  }
  const rows = newestFirst.map((version, row): Row => {
    const lane = laneOf.get(version.name) ?? 0;
    return { version, lane, x: margin + lane * laneWidth, y: row * rowHeight + rowHeight / 2 };
  });
  const placed = new Map(rows.map((row) => [row.version.name, row]));
  const edges = rows.flatMap(({ version, x, y }): Edge[] => {
    const parent = version.parent === null ? undefined : placed.get(version.parent);
    return parent && parent.y > y
      ? [{ id: version.name, from: { x, y }, to: { x: parent.x, y: parent.y } }]
      : [];
  });
  const lanes = Math.max(1, ...rows.map(({ lane }) => lane + 1));
  return { rows, edges, width: 2 * margin + (lanes - 1) * laneWidth, height: rows.length * rowHeight };
}

/** The SVG path of an edge: it stays in the child's lane and bends into the parent's just above the parent. */
export function edgePath({ from, to }: Edge): string {
  if (from.x === to.x) return `M${from.x},${from.y}V${to.y}`;
  const bend = to.y - rowHeight * 0.8;
  const start = Math.max(from.y, bend);
  return `M${from.x},${from.y}V${start}C${from.x},${to.y - 8} ${to.x},${start + 8} ${to.x},${to.y}`;
}

/** The scale that all intervals of a lineage share: fractions from the lowest to the highest bound. */
export function scoreExtent(versions: readonly LineageVersion[]): readonly [number, number] | undefined {
  const values = versions.flatMap(({ score, low, high }) => [score, low, high].filter((v) => v !== null));
  if (values.length === 0) return undefined;
  const low = Math.min(...values);
  const high = Math.max(...values);
  return high > low ? [low, high] : [low - 0.01, high + 0.01];
}

/** Which version an arrow key leads to: up and down the list, left to the parent, right to the newest child. */
export function neighbour(layout: LineageLayout, name: string | null, key: string): string | undefined {
  const { rows } = layout;
  const at = rows.findIndex(({ version }) => version.name === name);
  const nameAt = (i: number) => rows[Math.max(0, Math.min(rows.length - 1, i))]?.version.name;
  switch (key) {
    case "ArrowUp":
      return nameAt(at - 1);
    case "ArrowDown":
      return nameAt(at + 1);
    case "PageUp":
      return nameAt(at - 10);
    case "PageDown":
      return nameAt(at + 10);
    case "Home":
      return nameAt(0);
    case "End":
      return nameAt(rows.length - 1);
    case "ArrowLeft": {
      const parent = rows[at]?.version.parent;
      return rows.find(({ version }) => version.name === parent)?.version.name;
    }
    case "ArrowRight":
      return rows.find(({ version }) => name !== null && version.parent === name)?.version.name;
    default:
      return undefined;
  }
}

/** The version at the upper edge of what is shown, and how far its row has left it; nothing at the very top. */
export function rowAt(
  { rows }: LineageLayout,
  scrollTop: number,
): { name: string; past: number } | undefined {
  const row = rows[Math.floor(scrollTop / rowHeight)];
  return row && scrollTop > 0 ? { name: row.version.name, past: scrollTop % rowHeight } : undefined;
}

/** Where to scroll so that such a row is at the same place again. */
export function placeOf(
  { rows }: LineageLayout,
  { name, past }: { name: string; past: number },
): number | undefined {
  const row = rows.findIndex(({ version }) => version.name === name);
  return row < 0 ? undefined : row * rowHeight + past;
}
