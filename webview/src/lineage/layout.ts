import { isTrusted } from "../../../shared/model/isTrusted.ts";
import type { LineageTable } from "../../../shared/protocol/views/lineageTable.ts";

/** Lanes that are drawn beside each other; what does not fit gets the last one and no line. */
export const mostLanes = 24;

/** A generation of several versions that stand together, newest first. */
export type Generation = {
  readonly generation: number;
  readonly members: readonly number[];
  readonly folded: boolean;
};

/** The rows of the lineage, top down, and per row what is drawn in its lanes (bit n stands for lane n). */
export type Layout = {
  /** A version's index, or for -1 - n the heading of generation n. */
  readonly items: Int32Array;
  readonly generations: readonly Generation[];
  /** 1 for a version below the heading of its generation. */
  readonly isMember: Uint8Array;
  /** The row of a version; that of its heading where it is folded; -1 where it is not shown. */
  readonly rowOf: Int32Array;
  /** The row that a row's line leads to, -1 without one. */
  readonly parentRow: Int32Array;
  readonly lane: Int8Array;
  /** Lanes whose lines run through, whose lines end here from above, and of those below the row the broken ones. */
  readonly through: Uint32Array;
  readonly ending: Uint32Array;
  readonly broken: Uint32Array;
  readonly lanes: number;
};

export type LayoutOptions = {
  /** Whether lanes can be drawn: not when the versions are sorted by something else than time. */
  readonly isGraph: boolean;
  readonly isFolded: (generation: number) => boolean;
};

/**
 * Lays out versions, newest first, as git graphs do: the line of what stands runs straight in the first lane, a side branch
 * takes the first lane that is free down to its parent. A line is broken where versions between are not shown. Linear in the
 * versions.
 */
export function layoutLineage(table: LineageTable, shown: readonly number[], options: LayoutOptions): Layout {
  const { items, generations, isMember } = rowsOf(table, shown, options);
  const rows = items.length;
  const rowOf = new Int32Array(table.total).fill(-1);
  for (let row = 0; row < rows; row++) {
    const item = items[row] ?? 0;
    if (item >= 0) rowOf[item] = row;
    else {
      const { folded, members } = generations[-1 - item] ?? { folded: false, members: [] };
      if (folded) for (const member of members) rowOf[member] = row;
    }
  }
  const layout = {
    items,
    generations,
    isMember,
    rowOf,
    parentRow: new Int32Array(rows).fill(-1),
    lane: new Int8Array(rows).fill(-1),
    through: new Uint32Array(rows),
    ending: new Uint32Array(rows),
    broken: new Uint32Array(rows),
    lanes: 0,
  };
  return options.isGraph ? { ...layout, lanes: drawLanes(table, layout) } : layout;
}

function rowsOf(
  table: LineageTable,
  shown: readonly number[],
  { isGraph, isFolded }: LayoutOptions,
): Pick<Layout, "items" | "generations" | "isMember"> {
  if (!isGraph)
    return { items: Int32Array.from(shown), generations: [], isMember: new Uint8Array(shown.length) };
  const items: number[] = [];
  const membership: number[] = [];
  const generations: Generation[] = [];
  for (let from = 0; from < shown.length;) {
    const generation = table.generation[shown[from] ?? 0] ?? 0;
    let to = from + 1;
    while (to < shown.length && table.generation[shown[to] ?? 0] === generation) to++;
    const members = shown.slice(from, to);
    from = to;
    if (members.length === 1) {
      items.push(members[0] ?? 0);
      membership.push(0);
    } else {
      const folded = isFolded(generation);
      items.push(-1 - generations.length);
      membership.push(0);
      generations.push({ generation, members, folded });
      if (folded) continue;
      for (const member of members) {
        items.push(member);
        membership.push(1);
      }
    }
  }
  return { items: Int32Array.from(items), generations, isMember: Uint8Array.from(membership) };
}

/** Fills the lanes of every row; gives how many there are. */
function drawLanes(table: LineageTable, layout: Omit<Layout, "lanes">): number {
  const { items, parentRow, lane, through, ending, broken } = layout;
  const { drawn, isMain } = connectRows(table, layout);
  const onMain = (row: number): boolean => isMain[drawn[row] ?? -1] === 1;
  /** The lane that the first child of a row hands on to it. */
  const reserved = new Int8Array(items.length).fill(-1);
  let [active, dashed, lanes] = [0, 0, 1];
  for (let row = 0; row < items.length; row++) {
    const ends = ending[row] ?? 0;
    const isBroken = broken[row] === 1;
    active &= ~ends;
    dashed &= ~ends;
    through[row] = active >>> 0;
    if ((drawn[row] ?? -1) >= 0) {
      const handed = onMain(row) ? 0 : (reserved[row] ?? -1);
      const own = handed < 0 ? freeLane(active) : handed;
      lane[row] = own;
      lanes = Math.max(lanes, own + 1);
      const parent = parentRow[row] ?? -1;
      const bit = 1 << own;
      if (parent >= 0 && isOpen(own, active)) {
        active |= bit;
        if (isBroken) dashed |= bit;
        ending[parent] = ((ending[parent] ?? 0) | bit) >>> 0;
        if (own > 0 && !onMain(parent) && (reserved[parent] ?? -1) < 0) reserved[parent] = own;
      } else parentRow[row] = -1;
    }
    broken[row] = dashed >>> 0;
  }
  return lanes;
}

/** Whether a line can be drawn in a lane: not in the last one, which what does not fit shares. */
const isOpen = (lane: number, active: number): boolean =>
  lane === 0 || (lane < mostLanes - 1 && (active & (1 << lane)) === 0);

/** Finds the row that each row's line leads to, and marks those whose line passes over versions that are not shown. */
function connectRows(
  table: LineageTable,
  { items, generations, rowOf, parentRow, broken }: Omit<Layout, "lanes">,
): { readonly drawn: Int32Array; readonly isMain: Uint8Array } {
  const { ancestor, isMain } = linesOf(table, rowOf);
  /** The version whose line a row draws; -1 for the heading of versions that follow it. */
  const drawn = Int32Array.from(items, (item) => {
    if (item >= 0) return item;
    const { folded, members } = generations[-1 - item] ?? { folded: false, members: [] };
    return folded ? (members.find((i) => isMain[i] === 1) ?? members[0] ?? -1) : -1;
  });
  for (let row = 0; row < items.length; row++) {
    let at = drawn[row] ?? -1;
    if (at < 0) continue;
    let isBroken = false;
    // Out of a folded generation: its own versions are on the same row.
    do {
      const next = ancestor[at] ?? -1;
      if (next !== (table.parent[at] ?? -1)) isBroken = true;
      at = next;
    } while (at >= 0 && rowOf[at] === row);
    const parent = at < 0 ? -1 : (rowOf[at] ?? -1);
    parentRow[row] = parent > row ? parent : -1;
    if (isBroken) broken[row] = 1;
  }
  return { drawn, isMain };
}

/** The first side lane that no line runs in. */
function freeLane(active: number): number {
  let lane = 1;
  while (lane < mostLanes - 1 && (active & (1 << lane)) !== 0) lane++;
  return lane;
}

/** Per version the nearest ancestor that is shown, and whether it is on the line that leads to the newest that stands. */
function linesOf(
  table: LineageTable,
  rowOf: Int32Array,
): { readonly ancestor: Int32Array; readonly isMain: Uint8Array } {
  const ancestor = new Int32Array(table.total).fill(-1);
  for (let i = 0; i < table.total; i++) {
    const parent = table.parent[i] ?? -1;
    if (parent < 0) continue;
    // A parent that has not come yet may be shown once it is there; until then the line runs out of sight.
    ancestor[i] = (rowOf[parent] ?? -1) >= 0 ? parent : (ancestor[parent] ?? -1);
  }
  const isMain = new Uint8Array(table.total);
  let newest = -1;
  for (let i = table.total - 1; i >= 0 && newest < 0; i--) if ((rowOf[i] ?? -1) >= 0) newest = i;
  let at = table.head >= 0 ? table.head : newest;
  if (at >= 0 && (rowOf[at] ?? -1) < 0) at = ancestor[at] ?? -1;
  for (; at >= 0 && isMain[at] !== 1; at = ancestor[at] ?? -1) isMain[at] = 1;
  return { ancestor, isMain };
}

/** The scale that all intervals share: from the lowest to the highest bound. */
export function scoreExtent(table: LineageTable): readonly [number, number] | undefined {
  let [low, high] = [Infinity, -Infinity];
  for (const column of [table.score, table.low, table.high])
    for (const [i, value] of column.entries()) {
      const isOut = value < low || value > high;
      // What does not count has no place on the scale.
      if (!isOut || !isTrusted({ decision: table.decisionOf(i) })) continue;
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
  if (low > high) return undefined;
  return high > low ? [low, high] : [low - 0.01, high + 0.01];
}

/** Which row a key leads to from another; undefined for a key that does not move. */
export function rowAfter(layout: Layout, row: number, key: string, page: number): number | undefined {
  const last = layout.items.length - 1;
  const at = (to: number): number => Math.max(0, Math.min(last, to));
  switch (key) {
    case "ArrowUp":
      return at(row - 1);
    case "ArrowDown":
      return at(row + 1);
    case "PageUp":
      return at(row - page);
    case "PageDown":
      return at(row + page);
    case "Home":
      return at(0);
    case "End":
      return at(last);
    default:
      return undefined;
  }
}

/** Where an arrow to the side leads from a row: to another row, or to folding the generation whose heading it is. */
export type SideStep =
  | { readonly type: "row"; readonly row: number }
  | { readonly type: "fold"; readonly folded: boolean };

/** Left folds, or leads to the heading or the parent; right unfolds, or leads to the newest child. */
export function rowBeside(
  layout: Layout,
  table: LineageTable,
  from: number,
  key: "ArrowLeft" | "ArrowRight",
): SideStep | undefined {
  const item = layout.items[from];
  const isLeft = key === "ArrowLeft";
  if (item === undefined) return undefined;
  if (item < 0) {
    const isFolded = layout.generations[-1 - item]?.folded === true;
    if (isLeft !== isFolded) return { type: "fold", folded: isLeft };
    return isLeft ? undefined : { type: "row", row: from + 1 };
  }
  const row = isLeft ? rowAbove(layout, table, from, item) : newestChild(layout, table, item);
  return row < 0 ? undefined : { type: "row", row };
}

/** The heading that a version lies under, or else its parent; -1 for none that is shown. */
function rowAbove(layout: Layout, table: LineageTable, from: number, item: number): number {
  if (layout.isMember[from] === 1) {
    let row = from;
    while (row > 0 && (layout.items[row] ?? 0) >= 0) row--;
    return row;
  }
  const parent = table.parent[item] ?? -1;
  return parent < 0 ? -1 : (layout.rowOf[parent] ?? -1);
}

function newestChild(layout: Layout, table: LineageTable, item: number): number {
  for (let i = table.total - 1; i > item; i--) {
    const row = table.parent[i] === item ? (layout.rowOf[i] ?? -1) : -1;
    if (row >= 0) return row;
  }
  return -1;
}
