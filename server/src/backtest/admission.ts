import { counted } from "../../../shared/words/numbers.ts";
import { choose, testChoices } from "../changes/assignments.ts";
import { holm } from "../statistics/distributions/holm.ts";

/** A metric's value in one version; null where the version's evidence does not have it. */
export interface MetricValue {
  readonly version: string;
  readonly value: number | null;
}

/** A metric over the versions that were decided. `good` are those that it should tell from the `bad` ones. */
export interface MetricHistory {
  readonly metric: string;
  readonly good: readonly MetricValue[];
  readonly bad: readonly MetricValue[];
}

export interface Threshold {
  readonly at: number;
  /** Good versions on the wrong side, and bad ones. */
  readonly wrongGood: number;
  readonly wrongBad: number;
}

export const admissionVerdicts = ["separates", "does_not_separate", "cannot_tell"] as const;

/** Whether a metric separates the versions that were kept from those that were rejected. */
export interface Separation extends MetricHistory {
  /** Which side has the higher values; null where neither has. */
  readonly higher: "good" | "bad" | null;
  /** Probability that a good version lies on the right side of a bad one, ties counted half; from 0.5 to 1. */
  readonly auc: number | null;
  readonly threshold: Threshold | null;
  /** Versions that the best threshold of all the others puts on their side, and how many the larger class has. */
  readonly leaveOneOut: { readonly right: number; readonly of: number; readonly larger: number } | null;
  /** Permutation test over the decisions, two-sided; alone and after Holm's correction for all metrics. */
  readonly p: number | null;
  readonly exact: boolean;
  readonly adjusted: number | null;
  /** The smallest p that any decisions on so many good and bad versions could have given. */
  readonly attainable: number | null;
  readonly verdict: (typeof admissionVerdicts)[number];
  readonly because: string;
}

const level = 0.05;

/** One row per metric, in the given order. Every history has an answer, also an empty one. */
export function admissionMatrix(histories: readonly MetricHistory[]): Separation[] {
  const rows = histories.map(measure);
  const tested = rows.filter((r) => r.p !== null);
  const adjusted = new Map(holm(tested.map((r) => r.p ?? 1)).map((p, i) => [tested[i], p]));
  return rows.map((row) => {
    const own = { ...row, adjusted: adjusted.get(row) ?? null };
    return { ...own, ...judge(own, tested.length) };
  });
}

type Measured = Omit<Separation, "adjusted" | "verdict" | "because">;

interface Point {
  readonly value: number;
  readonly good: boolean;
}

function measure(history: MetricHistory): Measured {
  const points: Point[] = [
    ...valuesOf(history.good).map((value) => ({ value, good: true })),
    ...valuesOf(history.bad).map((value) => ({ value, good: false })),
  ];
  const good = points.filter((p) => p.good).length;
  const bad = points.length - good;
  const { metric } = history;
  const own = { metric, good: history.good, bad: history.bad };
  if (good === 0 || bad === 0)
    return {
      ...own,
      ...{ higher: null, auc: null, threshold: null, leaveOneOut: null, p: null, exact: false },
      attainable: null,
    };
  const ranks = midranks(points.map((p) => p.value));
  const auc = aucOf(ranks, (i) => i < good, good);
  const { p, exact, least } = testChoices(points.length, good, (chosen) =>
    Math.abs(aucOf(ranks, (i) => chosen[i] === 1, good) - 0.5),
  );
  return {
    ...own,
    higher: auc === 0.5 ? null : auc > 0.5 ? "good" : "bad",
    auc: Math.max(auc, 1 - auc),
    threshold: thresholdOf(points),
    leaveOneOut: {
      right: points.filter((p, i) => predict(points.toSpliced(i, 1), p.value) === p.good).length,
      of: points.length,
      larger: Math.max(good, bad),
    },
    p,
    exact,
    attainable: least,
  };
}

const valuesOf = (values: readonly MetricValue[]): number[] =>
  values.flatMap(({ value }) => (value === null || !Number.isFinite(value) ? [] : [value]));

/** Ranks from 1, ties with the middle of theirs. */
function midranks(values: readonly number[]): Float64Array {
  const order = [...values.keys()].sort((i, j) => (values[i] ?? 0) - (values[j] ?? 0));
  const ranks = new Float64Array(values.length);
  for (let from = 0; from < order.length;) {
    let to = from;
    while (to < order.length && values[order[to] ?? 0] === values[order[from] ?? 0]) to++;
    for (let i = from; i < to; i++) ranks[order[i] ?? 0] = (from + to + 1) / 2;
    from = to;
  }
  return ranks;
}

/** Area under the ROC curve from the rank sum (Mann and Whitney 1947). */
function aucOf(ranks: Float64Array, isGood: (i: number) => boolean, good: number): number {
  let sum = 0;
  for (let i = 0; i < ranks.length; i++) if (isGood(i)) sum += ranks[i] ?? 0;
  return (sum - (good * (good + 1)) / 2) / (good * (ranks.length - good));
}

interface Cut extends Threshold {
  readonly goodAbove: boolean;
  readonly margin: number;
}

/** The cut with the fewest errors; of several the one in the widest gap. Null where all values are the same. */
function bestCut(points: readonly Point[]): Cut | null {
  const values = [...new Set(points.map((p) => p.value))].sort((a, b) => a - b);
  let best: Cut | null = null;
  for (const [i, upper] of values.entries()) {
    const lower = values[i - 1];
    if (lower === undefined) continue;
    for (const goodAbove of [true, false]) {
      const at = lower + (upper - lower) / 2;
      const wrong = (good: boolean): number =>
        points.filter((p) => p.good === good && p.value > at !== (good === goodAbove)).length;
      const cut = { at, goodAbove, margin: upper - lower, wrongGood: wrong(true), wrongBad: wrong(false) };
      const [errors, least] = [
        cut.wrongGood + cut.wrongBad,
        best === null ? Infinity : best.wrongGood + best.wrongBad,
      ];
      if (errors < least || (errors === least && cut.margin > (best?.margin ?? 0))) best = cut;
    }
  }
  return best;
}

function thresholdOf(points: readonly Point[]): Threshold | null {
  const cut = bestCut(points);
  return cut === null ? null : { at: cut.at, wrongGood: cut.wrongGood, wrongBad: cut.wrongBad };
}

/** What the other versions say of one: by their best cut, or their larger class where they have none. */
function predict(others: readonly Point[], value: number): boolean {
  const cut = bestCut(others);
  const good = others.filter((p) => p.good).length;
  if (cut === null || good === 0 || good === others.length) return 2 * good >= others.length;
  return value > cut.at === cut.goodAbove;
}

const figure = (x: number): string => x.toPrecision(2);

function judge(
  row: Omit<Separation, "verdict" | "because">,
  metrics: number,
): Pick<Separation, "verdict" | "because"> {
  const [good, bad] = [valuesOf(row.good).length, valuesOf(row.bad).length];
  const { attainable, adjusted, leaveOneOut, p } = row;
  if (attainable === null || adjusted === null || leaveOneOut === null || p === null)
    return {
      verdict: "cannot_tell",
      because:
        good + bad === 0
          ? "No decided version has a value for it."
          : `It has a value for ${counted(good, "version")} of one group and ${bad} of the other; it needs values in both groups.`,
    };
  if (row.threshold === null)
    return { verdict: "does_not_separate", because: "It has the same value in every version." };
  if (attainable > level && 2 / choose(good + bad, good) > level)
    return {
      verdict: "cannot_tell",
      because: `Too few versions are decided: there are ${good} and ${bad}. Even a label that all versions of one group had, and none of the other, can be luck (p = ${figure(attainable)}). Wait until more versions are decided.`,
    };
  const among = metrics > 1 ? `, ${figure(adjusted)} among ${metrics} metrics` : "";
  const held = `it sorts ${leaveOneOut.right} of ${leaveOneOut.of} versions into the right group when each is left out in turn; always naming the larger group gets ${leaveOneOut.larger} right`;
  if (adjusted >= level)
    return {
      verdict: "does_not_separate",
      because: `Luck would do as well (p = ${figure(p)}${among}); ${held}.`,
    };
  return leaveOneOut.right > leaveOneOut.larger
    ? { verdict: "separates", because: `p = ${figure(p)}${among}; ${held}.` }
    : { verdict: "does_not_separate", because: `p = ${figure(p)}${among}, but ${held}.` };
}
