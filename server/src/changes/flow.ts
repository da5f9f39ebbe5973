import { classOf, itemClass, type FlowBy, type LabelOrder } from "./failureClass.ts";
import type { Fate } from "./fates.ts";

/** How many went from which class in version a (rows) to which in b (columns). */
export interface FlowMatrix {
  readonly classes: readonly string[];
  readonly counts: readonly (readonly number[])[];
  /** Per class in a, and per class in b. */
  readonly before: readonly number[];
  readonly after: readonly number[];
  readonly total: number;
}

export interface Flow {
  readonly by: FlowBy;
  /** Items that both versions have. */
  readonly items: FlowMatrix;
  /** Items that only one has. */
  readonly itemsOnlyIn: { readonly a: number; readonly b: number };
  /** Rollouts paired by item and sample; null where they cannot be. */
  readonly rollouts: FlowMatrix | null;
  readonly unpaired: { readonly a: number; readonly b: number };
  /** What a reader has to know, one sentence each. */
  readonly notes: readonly string[];
}

export interface FlowOptions {
  readonly by: FlowBy;
  readonly order: LabelOrder;
}

/** Classes beyond this many are put together, so that a matrix stays one. */
const mostClasses = 12;
const otherFailures = "fail: other";

/** Where the items and the rollouts of version a went in version b. Defined for any two lists, empty ones included. */
export function flowBetween(a: readonly Fate[], b: readonly Fate[], options: FlowOptions): Flow {
  const [itemsA, itemsB] = [byItem(a, options), byItem(b, options)];
  const common = [...itemsA].flatMap(([item, before]) => {
    const after = itemsB.get(item);
    return after === undefined ? [] : [[itemClass(before), itemClass(after)] as const];
  });
  const pairing = pairRollouts(a, b);
  const classed = pairing.pairs.map(
    ([x, y]) => [classOf(x, options.by, options.order), classOf(y, options.by, options.order)] as const,
  );
  return {
    by: options.by,
    items: matrixOf(common),
    itemsOnlyIn: { a: itemsA.size - common.length, b: itemsB.size - common.length },
    rollouts: classed.length === 0 ? null : matrixOf(classed),
    unpaired: { a: a.length - classed.length, b: b.length - classed.length },
    notes: notesOf(a, b, { common: common.length, paired: classed.length, why: pairing.why }),
  };
}

function byItem(fates: readonly Fate[], { by, order }: FlowOptions): Map<string, string[]> {
  const items = new Map<string, string[]>();
  for (const fate of fates) {
    const classes = items.get(fate.item) ?? [];
    classes.push(classOf(fate, by, order));
    items.set(fate.item, classes);
  }
  return items;
}

interface Pairing {
  readonly pairs: readonly (readonly [Fate, Fate])[];
  /** Why there are no pairs, or null. */
  readonly why: string | null;
}

const seedsOf = (fates: readonly Fate[]): Set<number | null> => new Set(fates.map((f) => f.seed));

/** Pairs by item, seed and sample where the versions share seeds, by item and sample where each has only one. */
function pairRollouts(a: readonly Fate[], b: readonly Fate[]): Pairing {
  const [seedsA, seedsB] = [seedsOf(a), seedsOf(b)];
  const shared = [...seedsA].some((seed) => seedsB.has(seed));
  if (!shared && (seedsA.size > 1 || seedsB.size > 1))
    return {
      pairs: [],
      why: "The versions have several seeds and share none, so their rollouts cannot be paired; the items are compared.",
    };
  const key = (f: Fate): string => JSON.stringify([f.item, shared ? f.seed : null, f.sample]);
  const [keyedA, keyedB] = [unique(a, key), unique(b, key)];
  const pairs = [...keyedA].flatMap(([k, x]) => {
    const y = keyedB.get(k);
    return y === undefined ? [] : [[x, y] as const];
  });
  return { pairs, why: null };
}

/** Fates by key; a key that several have tells none of them. */
function unique(fates: readonly Fate[], key: (f: Fate) => string): Map<string, Fate> {
  const found = new Map<string, Fate>();
  const several = new Set<string>();
  for (const fate of fates) {
    const k = key(fate);
    if (found.has(k)) several.add(k);
    found.set(k, fate);
  }
  for (const k of several) found.delete(k);
  return found;
}

function matrixOf(pairs: readonly (readonly [string, string])[]): FlowMatrix {
  const kept = frequentClasses(pairs.flat());
  const name = (c: string): string => (kept.has(c) ? c : otherFailures);
  const named = pairs.map(([x, y]) => [name(x), name(y)] as const);
  const classes = [...new Set(named.flat())].sort((x, y) => rank(x) - rank(y) || (x < y ? -1 : 1));
  const at = new Map(classes.map((c, i) => [c, i]));
  const counts = classes.map(() => classes.map(() => 0));
  for (const [x, y] of named) {
    const row = counts[at.get(x) ?? -1];
    const column = at.get(y) ?? -1;
    if (row !== undefined) row[column] = (row[column] ?? 0) + 1;
  }
  return {
    classes,
    counts,
    before: counts.map((row) => row.reduce((s, n) => s + n, 0)),
    after: classes.map((_, i) => counts.reduce((s, row) => s + (row[i] ?? 0), 0)),
    total: pairs.length,
  };
}

function frequentClasses(all: readonly string[]): ReadonlySet<string> {
  const counts = new Map<string, number>();
  for (const c of all) counts.set(c, (counts.get(c) ?? 0) + 1);
  const ordered = [...counts].sort(([a, n], [b, m]) => rank(a) - rank(b) || m - n || (a < b ? -1 : 1));
  // Pass, mixed and unknown always stay; they are no kind of failure.
  const plain = ordered.filter(([c]) => rank(c) !== 2);
  const kinds = ordered.filter(([c]) => rank(c) === 2);
  const room = kinds.length > mostClasses ? mostClasses - 1 : mostClasses;
  return new Set([...plain, ...kinds.slice(0, room)].map(([c]) => c));
}

/** Passes first, unknown last. */
function rank(name: string): number {
  const fixed: Readonly<Record<string, number>> = { pass: 0, mixed: 1, unknown: 4 };
  return fixed[name] ?? (name === otherFailures ? 3 : 2);
}

function notesOf(
  a: readonly Fate[],
  b: readonly Fate[],
  { common, paired, why }: { common: number; paired: number; why: string | null },
): string[] {
  if (a.length === 0 || b.length === 0)
    return [
      `There are no rollouts of ${a.length === 0 ? (b.length === 0 ? "either version" : "the first version") : "the second version"} in this split, so nothing flows.`,
    ];
  const notes: string[] = [];
  if (common === 0) notes.push("The versions have no item in common, so nothing flows between them.");
  if (why !== null) notes.push(why);
  else if (paired === 0 && common > 0)
    notes.push("No rollout could be paired: samples of an item are numbered differently, or more than once.");
  else if (paired > 0)
    notes.push(
      "Samples of an item are interchangeable: the totals are measured, but not which sample became which.",
    );
  return notes;
}
