import type { ShiftKind } from "../../../shared/ledger/hypothesisResult.ts";
import { isTold, labelShare, type LabelShare } from "../../../shared/model/labelShare.ts";
import type { DiagnosticSpec } from "../../../shared/spec/diagnostic.ts";
import type { VerdictWord } from "../../../shared/words/decisions.ts";
import { percent } from "../../../shared/words/numbers.ts";
import { normalCdf } from "../statistics/distributions/normal.ts";
import { holm } from "../statistics/distributions/holm.ts";
import { resampleJointly } from "../statistics/resampling/jointResample.ts";
import { quantileSorted, type Interval } from "../statistics/distributions/quantile.ts";
import { testChoices, testSwaps } from "./assignments.ts";
import { itemLabels, type Fate, type Fates, type ItemLabels } from "./fates.ts";
import { clusteredShare, newcombe } from "../statistics/intervals/proportions.ts";

/** How often a label holds in one version. */
export interface LabelRate extends LabelShare {
  readonly items: number;
}

/** How a label's rate changed from version a to b. Rates and differences are shares of the decided rollouts. */
export interface LabelShift {
  readonly label: string;
  readonly a: LabelRate;
  readonly b: LabelRate;
  /** b − a with its 95 % interval: over the common items where it is paired. */
  readonly difference: number | null;
  readonly low: number | null;
  readonly high: number | null;
  readonly method: "paired bootstrap over items" | "Newcombe, items as clusters" | null;
  readonly commonItems: number;
  /** Permutation test of no difference, alone and after Holm's correction for the labels that either version has. */
  readonly p: number | null;
  readonly adjusted: number | null;
  readonly kind: ShiftKind;
  readonly seen: "both" | "only_a" | "only_b" | "neither";
  /** Another label that is on exactly the same rollouts of both versions: lists name this one with it. */
  readonly under?: string;
}

export interface LabelItems {
  readonly label: string;
  /** Null where the label was not looked for. */
  readonly a: readonly ItemLabels[] | null;
  readonly b: readonly ItemLabels[] | null;
  readonly under?: string;
}

/** What makes more of a label worse for sure: it is said to be bad, or an alert goes off above some share of it. */
export const isBad = ({ label, alert }: Pick<DiagnosticSpec, "label" | "alert">): boolean =>
  label.severity !== "info" || label.invalidates || alert !== undefined;

/** Whether a label changed for the better or the worse; undefined where nobody can say, or it was not measured. */
export function shiftVerdict({ kind }: Pick<LabelShift, "kind">, bad: boolean): VerdictWord | undefined {
  switch (kind) {
    case "within_noise":
      return "inside_noise";
    case "cannot_tell":
      return "withheld";
    case "not_measured":
      return undefined;
    case "appeared":
    case "rose":
      return bad ? "regressed" : undefined;
    case "vanished":
    case "fell":
      return bad ? "improved" : undefined;
  }
}

const level = 0.05;
const resamples = 2000;

/** The shifts of all labels of two versions; a change is called one when it stays below 5 % after Holm's correction. */
export function labelShifts(labels: readonly LabelItems[], seed = 1): LabelShift[] {
  const measured = labels.map((l) => measure(l, seed));
  const tested = measured.filter(isTested);
  const adjusted = new Map(holm(tested.map((m) => m.p ?? 1)).map((p, i) => [tested[i]?.label, p]));
  return measured.map(({ certain, ...m }) => {
    // What is said with another one is no hypothesis beside it.
    const p = adjusted.get(m.under ?? m.label) ?? m.p;
    return { ...m, adjusted: p, kind: kindOf({ ...m, certain }, p) };
  });
}

/** A label that neither version has, or that cannot be told, is no hypothesis: it would only make the others harder to see. */
export const isTested = ({ p, a, b, under }: Pick<LabelShift, "p" | "a" | "b" | "under">): boolean =>
  under === undefined && p !== null && a.labelled + b.labelled > 0 && isTold(a) && isTold(b);

/**
 * The shifts of every label that was looked for in one of two versions. Of labels that are on the same rollouts, the first of
 * `order` leads.
 */
export function shiftsBetween(before: Fates, after: Fates, order: readonly string[] = []): LabelShift[] {
  const labels = [...new Set([...before.labels, ...after.labels])].sort();
  const leads = leadsOf([...before.rollouts, ...after.rollouts], [...new Set([...order, ...labels])]);
  return labelShifts(
    labels.map((label) => {
      const under = leads.get(label);
      const items = { label, a: itemLabels(before, label), b: itemLabels(after, label) };
      return under === undefined ? items : { ...items, under };
    }),
  );
}

/** By label the first one that is on exactly the same rollouts, two or more of them, where it is not the first itself. */
function leadsOf(rollouts: readonly Fate[], labels: readonly string[]): ReadonlyMap<string, string> {
  const carried = new Map<string, number[]>();
  for (const [i, { labels: own }] of rollouts.entries())
    for (const label of own) {
      const on = carried.get(label) ?? [];
      carried.set(label, on);
      on.push(i);
    }
  const first = new Map<string, string>();
  const leads = new Map<string, string>();
  for (const label of labels) {
    const on = carried.get(label) ?? [];
    if (on.length < 2) continue;
    const key = on.join(" ");
    const lead = first.get(key);
    if (lead === undefined) first.set(key, label);
    else leads.set(label, lead);
  }
  return leads;
}

type Measured = Omit<LabelShift, "adjusted" | "kind"> & {
  /** Whether the difference has its sign whatever the undecided rollouts are. */
  readonly certain: boolean;
};

function kindOf({ a, b, difference, certain }: Measured, adjusted: number | null): ShiftKind {
  if (adjusted === null || difference === null) return "not_measured";
  if (!isTold(a) || !isTold(b)) return "cannot_tell";
  if (adjusted >= level || difference === 0) return "within_noise";
  if (!certain) return "cannot_tell";
  if (difference > 0) return a.labelled === 0 ? "appeared" : "rose";
  return b.labelled === 0 ? "vanished" : "fell";
}

function measure({ label, a, b, under }: LabelItems, seed: number): Measured {
  const [inA, inB] = [rateOf(a ?? []), rateOf(b ?? [])];
  const [knownA, knownB] = [known(a), known(b)];
  const other = new Map(knownB.map((i) => [i.item, i]));
  const pairs = knownA.flatMap((i): Pair[] => {
    const twin = other.get(i.item);
    return twin === undefined ? [] : [{ a: i, b: twin }];
  });
  const nothing = { difference: null, low: null, high: null, method: null, p: null } as const;
  const told = knownA.length === 0 || knownB.length === 0 ? nothing : differ(pairs, knownA, knownB, seed);
  return {
    ...{ label, a: inA, b: inB, ...told, commonItems: pairs.length, seen: seenIn(inA, inB) },
    ...(under === undefined ? {} : { under }),
    certain: isCertain(told, a ?? [], b ?? []),
  };
}

/** Of the items that were compared: whether the bounds of one version lie beyond those of the other, as the rates do. */
function isCertain(
  { method, difference }: Told,
  a: readonly ItemLabels[],
  b: readonly ItemLabels[],
): boolean {
  if (difference === null) return false;
  const inBoth = (own: readonly ItemLabels[], other: readonly ItemLabels[]): readonly ItemLabels[] => {
    const names = new Set(other.map(({ item }) => item));
    return own.filter(({ item }) => names.has(item));
  };
  const isPaired = method === "paired bootstrap over items";
  const [from, to] = [rateOf(isPaired ? inBoth(a, b) : a), rateOf(isPaired ? inBoth(b, a) : b)];
  if (from.undecided + to.undecided === 0) return true;
  return difference > 0 ? to.bounds[0] > from.bounds[1] : to.bounds[1] < from.bounds[0];
}

const known = (items: readonly ItemLabels[] | null): ItemLabels[] =>
  (items ?? []).filter((i) => i.decided > 0);

function seenIn(a: LabelRate, b: LabelRate): LabelShift["seen"] {
  if (a.labelled > 0) return b.labelled > 0 ? "both" : "only_a";
  return b.labelled > 0 ? "only_b" : "neither";
}

/** Counts and rate over the items of one version. */
function rateOf(items: readonly ItemLabels[]): LabelRate {
  const sum = (of: (i: ItemLabels) => number): number => items.reduce((s, i) => s + of(i), 0);
  const rollouts = sum((i) => i.rollouts);
  const undecided = rollouts - sum((i) => i.decided);
  return { ...labelShare({ labelled: sum((i) => i.labelled), undecided, rollouts }), items: items.length };
}

interface Pair {
  readonly a: ItemLabels;
  readonly b: ItemLabels;
}
type Told = Pick<Measured, "difference" | "low" | "high" | "method" | "p">;

function differ(
  pairs: readonly Pair[],
  a: readonly ItemLabels[],
  b: readonly ItemLabels[],
  seed: number,
): Told {
  // Pairing a handful of items and leaving the others out would answer another question.
  if (2 * pairs.length < Math.min(a.length, b.length)) return unpaired(a, b, shuffled(a, b, seed));
  const change = (i: Pair): number => i.b.labelled / i.b.decided - i.a.labelled / i.a.decided;
  const [first] = pairs;
  const p = swapped(pairs, seed);
  // Where no item differs from another, resampling them gives an interval of width 0, which nobody may believe.
  if (first === undefined || pairs.every((i) => change(i) === change(first)))
    return unpaired(
      pairs.map((i) => i.a),
      pairs.map((i) => i.b),
      p,
    );
  const [inA, inB] = [columns(pairs.map((i) => i.a)), columns(pairs.map((i) => i.b))];
  const tallies = [inA.labelled, inA.decided, inB.labelled, inB.decided] as const;
  return {
    difference: differenceOf(tallies.map(total)),
    ...resampled(tallies, seed),
    method: "paired bootstrap over items",
    p,
  };
}

/** Of labelled and decided in a, and in b: sums or means, whichever all four are. */
const differenceOf = ([
  labelledA = 0,
  decidedA = 0,
  labelledB = 0,
  decidedB = 0,
]: readonly number[]): number => labelledB / decidedB - labelledA / decidedA;

/** Percentile bootstrap of a difference of ratios: each resample draws the items once for all four tallies. */
function resampled(tallies: readonly Float64Array[], seed: number): Interval {
  const means = tallies.map((values) => total(values) / values.length);
  const { shifts } = resampleJointly(tallies, { resamples, seed });
  const values = Float64Array.from({ length: resamples }, (_, r) =>
    differenceOf(means.map((mean, j) => mean + (shifts[r * tallies.length + j] ?? 0))),
  ).sort();
  return { low: quantileSorted(values, 0.025), high: quantileSorted(values, 0.975) };
}

function unpaired(a: readonly ItemLabels[], b: readonly ItemLabels[], p: number): Told {
  const [shareA, shareB] = [clusteredShare(a), clusteredShare(b)];
  if (shareA === null || shareB === null)
    return { difference: null, low: null, high: null, method: null, p: null };
  const { low, high } = newcombe(shareA, shareB);
  return { difference: shareB.share - shareA.share, low, high, method: "Newcombe, items as clusters", p };
}

/** Tallies as columns: the resampling loops run over numbers, not over objects. */
function columns(items: readonly ItemLabels[]): { labelled: Float64Array; decided: Float64Array } {
  return {
    labelled: Float64Array.from(items, (i) => i.labelled),
    decided: Float64Array.from(items, (i) => i.decided),
  };
}

const total = (values: Float64Array): number => values.reduce((s, x) => s + x, 0);

/**
 * Under no difference an item's two rates could as well have been those of the other version each. Tallies cannot change places
 * where one version has more rollouts: each rare label of the smaller one would then look like more than any exchange gives.
 * Signs are fair only where both sides vary alike, and a larger version catches more of what is rare, so that test has to agree
 * with one that knows how many rollouts each side had.
 */
function swapped(pairs: readonly Pair[], seed: number): number {
  const changes = Float64Array.from(pairs, changeOf).filter((x) => x !== 0);
  const sum = total(changes);
  const { p } = testSwaps(
    changes.length,
    (swaps) => {
      let turned = 0;
      // Multiplied and not branched on: half of the branches would be foretold wrongly.
      for (let i = 0; i < swaps.length; i++) turned += (swaps[i] ?? 0) * (changes[i] ?? 0);
      return Math.abs(sum - 2 * turned);
    },
    seed,
  );
  return pairs.every(({ a, b }) => a.decided === b.decided) ? p : Math.max(p, mantelHaenszel(pairs));
}

/** The change of an item's rate, weighed as Mantel and Haenszel do: by what its smaller side can tell. */
const changeOf = ({ a, b }: Pair): number =>
  (a.decided * b.labelled - b.decided * a.labelled) / (a.decided + b.decided);

/**
 * Two-sided p of Mantel and Haenszel's test (1959), with their correction for continuity: of each item's labelled rollouts as
 * many are expected in b as its share of the rollouts.
 */
function mantelHaenszel(pairs: readonly Pair[]): number {
  let [surplus, variance] = [0, 0];
  for (const { a, b } of pairs) {
    const n = a.decided + b.decided;
    const labelled = a.labelled + b.labelled;
    surplus += b.labelled - (labelled * b.decided) / n;
    if (n > 1) variance += (a.decided * b.decided * labelled * (n - labelled)) / (n * n * (n - 1));
  }
  if (variance === 0) return 1;
  return Math.min(1, 2 * (1 - normalCdf(Math.max(0, Math.abs(surplus) - 0.5) / Math.sqrt(variance))));
}

/** Under no difference any items could have been those of a; an item stays whole, and counts by its rate. */
function shuffled(a: readonly ItemLabels[], b: readonly ItemLabels[], seed: number): number {
  const rates = Float64Array.from([...a, ...b], ({ labelled, decided }) => labelled / decided);
  const sum = total(rates);
  return testChoices(
    rates.length,
    a.length,
    (chosen) => {
      let inA = 0;
      for (let i = 0; i < chosen.length; i++) inA += (chosen[i] ?? 0) * (rates[i] ?? 0);
      return Math.abs((sum - inA) / b.length - inA / a.length);
    },
    seed,
  ).p;
}

/** What became of a label, in words. */
export function shiftText({ kind: word, seen, a, b }: LabelShift): string {
  if (word === "not_measured") {
    const sides = [...(a.rate === null ? ["before"] : []), ...(b.rate === null ? ["after"] : [])];
    return `not measured ${sides.join(" and ")}`.trimEnd();
  }
  if (word === "cannot_tell") {
    const [before, after] = [isTold(a), isTold(b)];
    if (before && after) return "cannot tell: the undecided rollouts could turn it around";
    const few = [
      ...(before ? [] : [`${percent(a.coverage)} before`]),
      ...(after ? [] : [`${percent(b.coverage)} after`]),
    ];
    return `cannot tell: only ${few.join(" and ")} decided`;
  }
  if (word !== "within_noise") return word;
  const only = { only_a: ", only before", only_b: ", only after", both: "", neither: ", never seen" }[seen];
  return `within noise${only}`;
}
