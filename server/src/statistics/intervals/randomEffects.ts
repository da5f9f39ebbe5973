import { normalQuantile } from "../../../../shared/model/normalQuantile.ts";

/** An effect that was measured once, such as a difference of scores, and its standard error, in one unit. */
export interface MeasuredEffect {
  readonly difference: number;
  readonly error: number;
}

export interface PooledEffect {
  readonly difference: number;
  /** 95 % interval of the mean effect over all uses that there could be. */
  readonly mean: readonly [number, number];
  /** 95 % interval of what is measured, without its own error, the next time. */
  readonly next: readonly [number, number];
  /** Standard deviation of the effect between uses. */
  readonly spread: number;
  readonly uses: number;
}

/** An interval of no width would outweigh all others; no evaluation is that exact. */
const leastError = 0.001;
const z = normalQuantile(0.975);

/**
 * Effects of one thing in several uses, pooled by inverse variance with a variance between uses (DerSimonian and Laird 1986).
 * A few uses hardly show that variance, so it is taken together with one more that is assumed: half of the effect itself.
 * From a single use its mean is thus taken to be anything between nothing and about twice as much. Null for no effects.
 */
export function poolEffects(effects: readonly MeasuredEffect[]): PooledEffect | null {
  if (effects.length === 0) return null;
  const rows = effects.map(({ difference, error }) => ({
    difference,
    variance: Math.max(leastError, error) ** 2,
  }));
  const between = betweenVariance(rows);
  const { difference, variance } = weighted(rows, between);
  const within = (sd: number): [number, number] => [difference - z * sd, difference + z * sd];
  return {
    difference,
    mean: within(Math.sqrt(variance)),
    next: within(Math.sqrt(variance + between)),
    spread: Math.sqrt(between),
    uses: effects.length,
  };
}

interface Row {
  readonly difference: number;
  readonly variance: number;
}

function betweenVariance(rows: readonly Row[]): number {
  const { difference: fixed } = weighted(rows, 0);
  const assumed = (fixed / 2) ** 2;
  const degrees = rows.length - 1;
  if (degrees === 0) return assumed;
  const weights = rows.map(({ variance }) => 1 / variance);
  const sum = weights.reduce((a, b) => a + b, 0);
  const squares = weights.reduce((a, b) => a + b * b, 0);
  const q = rows.reduce((total, row) => total + (row.difference - fixed) ** 2 / row.variance, 0);
  const found = Math.max(0, (q - degrees) / (sum - squares / sum));
  return (assumed + degrees * found) / (degrees + 1);
}

function weighted(rows: readonly Row[], between: number): Row {
  let [sum, total] = [0, 0];
  for (const { difference, variance } of rows) {
    const weight = 1 / (variance + between);
    sum += weight;
    total += weight * difference;
  }
  return { difference: total / sum, variance: 1 / sum };
}
