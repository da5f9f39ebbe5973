import type { Doubt } from "../../../../shared/ledger/measures.ts";
import type { Interval } from "../distributions/quantile.ts";
import { highestShare } from "../distributions/exactBinomial.ts";
import { meanInterval, type MeanIntervalOptions, type MeanMethod } from "./meanInterval.ts";
import { moments } from "../distributions/moments.ts";
import { rememberedInterval } from "./rememberedInterval.ts";
import type { Resamples } from "../resampling/resample.ts";

export const defaultResamples = 10_000;
/** Below this no method holds its level in the simulation of docs/statistics.md. */
export const fewestItems = 20;

export type ItemQuantity = "score" | "difference";

/** Below this the bootstrap of a difference is a little too narrow, and t is not. */
const fewestResampled = 50;

/** Chosen by the simulation of docs/statistics.md: scores are skewed, paired differences hardly. */
function methodFor(quantity: ItemQuantity, items: number): MeanMethod {
  if (items < fewestItems) return "t";
  if (quantity === "score") return "studentized";
  return items < fewestResampled ? "t" : "expanded";
}

const rangeFor: Readonly<Record<ItemQuantity, readonly [number, number]>> = {
  score: [0, 1],
  difference: [-1, 1],
};

export interface ItemInterval extends Interval {
  readonly value: number;
  /** How the interval was made, as docs/statistics.md names it. */
  readonly method: string;
  readonly doubts: readonly Doubt[];
  /** An interval that holds its level whatever the values are, but is wide. */
  readonly exact: Interval;
}

/** Interval of the mean of one value per item, of at least one item; with doubts where it is less than it looks. */
export function itemInterval(
  values: Float64Array,
  quantity: ItemQuantity,
  options: MeanIntervalOptions & { readonly resampled?: Resamples },
): ItemInterval {
  const range = rangeFor[quantity];
  const { n, mean: value } = moments(values);
  const exact = exactBound(values, quantity, options.confidence);
  const bound = whyExact(values, options.confidence);
  if (bound !== null) return { value, ...exact, method: "exact bound", doubts: [bound], exact };
  const method = methodFor(quantity, n);
  const { low, high } =
    options.resampled === undefined
      ? rememberedInterval(values, method, options)
      : meanInterval(values, method, options);
  return {
    value,
    low: Math.max(range[0], low),
    high: Math.min(range[1], high),
    method: methodNames[method],
    doubts: n < fewestItems ? ["too_few_items"] : [],
    exact,
  };
}

/** The doubt because of which only the exact bound says anything; null where enough items differ. */
export function whyExact(values: Float64Array, confidence: number): Doubt | null {
  const { n, variance } = moments(values);
  if (n === 1) return "one_item";
  if (variance === 0) return "no_spread";
  const { below, above } = aroundMode(values);
  if (below + above >= fewestDiffering(confidence)) return null;
  return n < fewestItems ? "too_few_items" : "few_differ";
}

export const methodNames: Readonly<Record<MeanMethod, string>> = {
  percentile: "percentile bootstrap over items",
  expanded: "percentile bootstrap over items, corrected by t",
  bca: "BCa bootstrap over items",
  studentized: "studentized bootstrap over items",
  t: "t interval over items",
};

/**
 * How many items have to differ from the most frequent value before resampling says something about them: with all of
 * them on one side, the exact test of McNemar needs 1 + log₂(1 / (1 − confidence)) for the same verdict, and two more
 * keep the level in the simulation.
 */
function fewestDiffering(confidence: number): number {
  return Math.ceil(1 + Math.log2(1 / (1 - confidence))) + 2;
}

/**
 * What the mean can be at most and at least when all that is known of the items off the most frequent value is how many
 * there are: their true share is bounded exactly (Clopper and Pearson 1934), and they count with the ends of the range.
 */
export function exactBound(values: Float64Array, quantity: ItemQuantity, confidence: number): Interval {
  const [min, max] = rangeFor[quantity];
  const { mode, below, above } = aroundMode(values);
  const tail = (1 - confidence) / 2;
  const n = values.length;
  const low = mode - highestShare(below, n, tail) * (mode - min);
  const high = mode + highestShare(above, n, tail) * (max - mode);
  return { low: Math.max(min, low), high: Math.min(max, high) };
}

function aroundMode(values: Float64Array): {
  readonly mode: number;
  readonly below: number;
  readonly above: number;
} {
  const mode = mostFrequent(values);
  let [below, above] = [0, 0];
  for (const x of values) {
    if (x < mode) below++;
    else if (x > mode) above++;
  }
  return { mode, below, above };
}

function mostFrequent(values: Float64Array): number {
  const counts = new Map<number, number>();
  let best = values[0] ?? 0;
  for (const x of values) {
    const count = (counts.get(x) ?? 0) + 1;
    counts.set(x, count);
    if (count > (counts.get(best) ?? 0)) best = x;
  }
  return best;
}
