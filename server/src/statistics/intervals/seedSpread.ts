import { moments } from "../distributions/moments.ts";
import { studentQuantile } from "../distributions/student.ts";
import type { Interval } from "../distributions/quantile.ts";

/** Rates of one version: one array per seed, one entry per item, NaN where the seed has no known outcome of it. */
export type SeedRates = readonly Float64Array[];

/** How much the seeds of one version differ beyond what their items and samples explain. */
export interface SeedSpread {
  readonly seeds: number;
  /** Sum of the squared deviations of the seeds from the version's mean, over the items that they share. */
  readonly squares: number;
  /** Of these deviations, the variance that items and samples alone would give. */
  readonly residual: number;
  readonly residualDegrees: number;
}

/** Two-way analysis of items × seeds without replication. Samples of which nobody noted the seed are of one. */
export function seedSpread(rates: SeedRates): SeedSpread {
  if (rates.length < 2) return { seeds: 1, squares: 0, residual: 0, residualDegrees: 0 };
  const items = rates[0]?.length ?? 0;
  const itemMean = new Float64Array(items);
  for (let i = 0; i < items; i++) {
    const there = rates.map((seed) => seed[i] ?? NaN).filter((x) => !Number.isNaN(x));
    itemMean[i] = there.reduce((sum, x) => sum + x, 0) / there.length;
  }
  let [squares, residuals, cells] = [0, 0, 0];
  for (const seed of rates) {
    const off: number[] = [];
    for (const [i, x] of seed.entries()) if (!Number.isNaN(x)) off.push(x - (itemMean[i] ?? 0));
    if (off.length === 0) continue;
    const mean = off.reduce((sum, x) => sum + x, 0) / off.length;
    squares += mean * mean;
    for (const x of off) residuals += (x - mean) ** 2;
    cells += off.length;
  }
  const residualDegrees = Math.max(0, cells - items - rates.length + 1);
  const residual = residualDegrees === 0 ? 0 : residuals / residualDegrees / (cells / rates.length);
  return { seeds: rates.length, squares, residual, residualDegrees };
}

export interface CrossedInterval extends Interval {
  /** Standard deviation between seeds that is not explained by items and samples; pooled over both versions. */
  readonly seedSd: number;
  readonly seedDegrees: number;
}

/** A part of a variance, with its degrees of freedom. */
interface Part {
  readonly of: number;
  readonly degrees: number;
}

/**
 * Interval of a paired difference over items and seeds: the variance over items plus that over the seeds of each version,
 * the latter pooled, with Satterthwaite's degrees of freedom. What both contain (the noise of a seed on an item) is
 * subtracted once, unless so few seeds are there that the subtraction makes the interval too narrow. Resampling the seeds
 * instead (Owen 2007, "The pigeonhole bootstrap") does not hold its level with few seeds: docs/statistics.md.
 * Null when neither version has two seeds.
 */
export function crossedInterval(
  itemDifferences: Float64Array,
  { a, b, confidence }: { a: SeedSpread; b: SeedSpread; confidence: number },
): CrossedInterval | null {
  const seedDegrees = a.seeds + b.seeds - 2;
  if (seedDegrees < 1) return null;
  const { n, mean, variance } = moments(itemDifferences);
  const shares = 1 / a.seeds + 1 / b.seeds;
  const item = { of: variance / n, degrees: n - 1 };
  const seed = { of: ((a.squares + b.squares) / seedDegrees) * shares, degrees: seedDegrees };
  const residualDegrees = a.residualDegrees + b.residualDegrees;
  const pooled =
    residualDegrees === 0
      ? 0
      : (a.residual * a.residualDegrees + b.residual * b.residualDegrees) / residualDegrees;
  const both = { of: pooled * shares, degrees: residualDegrees };
  const explained = Math.max(0, seed.of - both.of);
  const halfOf = (total: number, parts: readonly Part[]): number => {
    const weight = parts.reduce((sum, { of, degrees }) => sum + (of === 0 ? 0 : of ** 2 / degrees), 0);
    return total === 0
      ? 0
      : studentQuantile(1 - (1 - confidence) / 2, total ** 2 / weight) * Math.sqrt(total);
  };
  const unsubtracted = halfOf(item.of + seed.of, [item, seed]);
  // Where little is left of the seeds' variance, its degrees fall below one, and a variance that is too large says more.
  const half =
    seedDegrees < 4
      ? unsubtracted
      : Math.min(unsubtracted, halfOf(item.of + explained, explained > 0 ? [item, seed, both] : [item]));
  return { low: mean - half, high: mean + half, seedSd: Math.sqrt(explained / shares), seedDegrees };
}
