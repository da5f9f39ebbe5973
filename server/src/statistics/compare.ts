import type { Comparison } from "../../../shared/model/ledger.ts";
import { bootstrapClusters } from "./bootstrap.ts";
import { normalQuantile } from "./normal.ts";
import type { Aggregator, ItemOutcomes } from "./outcomes.ts";
import { defaultResamples } from "./score.ts";

export interface CompareOptions {
  readonly aggregator: Aggregator;
  /** Confidence of the verdict before correction, e.g. 0.95. */
  readonly confidence: number;
  /** How many candidates the compared one was, or will be, chosen from; the confidence is Bonferroni-corrected for it. */
  readonly candidates?: number;
  readonly resamples?: number;
  readonly seed?: number;
  /** Power at which `itemsNeeded` is computed. */
  readonly power?: number;
}

/** The items both versions have a known outcome for, with both tallies. */
interface PairedItem {
  readonly a: { readonly pass: number; readonly known: number };
  readonly b: { readonly pass: number; readonly known: number };
}

/**
 * Paired comparison b − a of two versions: items are resampled, each with all its samples of both versions, so that
 * neither the difficulty of an item nor the correlation of its samples is mistaken for evidence (domain.md §6).
 * Null when no item has a known outcome in both.
 */
export function comparePaired(
  name: string,
  a: readonly ItemOutcomes[],
  b: readonly ItemOutcomes[],
  options: CompareOptions,
): Comparison | null {
  const pairs = pair(a, b);
  if (pairs.length === 0) return null;
  const confidence = 1 - (1 - options.confidence) / Math.max(1, options.candidates ?? 1);
  const difference = differenceOver(pairs, options.aggregator);
  const all = Int32Array.from(pairs, (_, i) => i);
  const point = difference(all);
  const { low, high } = bootstrapClusters(pairs.length, difference, {
    confidence,
    resamples: options.resamples ?? defaultResamples,
    seed: options.seed ?? 1,
  });
  return {
    against: name,
    difference: point,
    low,
    high,
    confidence,
    verdict: low > 0 ? "improved" : high < 0 ? "regressed" : "inside_noise",
    items: pairs.length,
    itemsNeeded: itemsNeeded(pairs, point, confidence, options.power ?? 0.8),
  };
}

function pair(a: readonly ItemOutcomes[], b: readonly ItemOutcomes[]): PairedItem[] {
  const other = new Map(b.map((o) => [o.item, o]));
  const pairs: PairedItem[] = [];
  for (const o of a) {
    const p = other.get(o.item);
    if (p === undefined || o.pass + o.fail === 0 || p.pass + p.fail === 0) continue;
    pairs.push({ a: { pass: o.pass, known: o.pass + o.fail }, b: { pass: p.pass, known: p.pass + p.fail } });
  }
  return pairs;
}

function differenceOver(
  pairs: readonly PairedItem[],
  aggregator: Aggregator,
): (indices: Int32Array) => number {
  if (aggregator === "macro") {
    const d = Float64Array.from(pairs, itemDifference);
    return (indices) => {
      let sum = 0;
      for (const i of indices) sum += d[i] ?? 0;
      return sum / indices.length;
    };
  }
  return (indices) => {
    let [aPass, aKnown, bPass, bKnown] = [0, 0, 0, 0];
    for (const i of indices) {
      const p = pairs[i];
      if (p === undefined) continue;
      aPass += p.a.pass;
      aKnown += p.a.known;
      bPass += p.b.pass;
      bKnown += p.b.known;
    }
    return bPass / bKnown - aPass / aKnown;
  };
}

function itemDifference(p: PairedItem): number {
  return p.b.pass / p.b.known - p.a.pass / p.a.known;
}

/**
 * Items needed so that a two-sided test at this confidence finds a difference of this size with the given power, from
 * the spread of the per-item differences: n = ((z₁₋α⸝₂ + z_power) · sd / difference)². Null when the difference is 0.
 */
function itemsNeeded(
  pairs: readonly PairedItem[],
  difference: number,
  confidence: number,
  power: number,
): number | null {
  if (difference === 0 || pairs.length < 2) return null;
  const d = pairs.map(itemDifference);
  const mean = d.reduce((s, x) => s + x, 0) / d.length;
  const variance = d.reduce((s, x) => s + (x - mean) ** 2, 0) / (d.length - 1);
  const z = normalQuantile(1 - (1 - confidence) / 2) + normalQuantile(power);
  return Math.max(2, Math.ceil((z * z * variance) / (difference * difference)));
}
