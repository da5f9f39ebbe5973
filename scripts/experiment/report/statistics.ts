import { moments } from "../../../server/src/statistics/distributions/moments.ts";
import { studentQuantile } from "../../../server/src/statistics/distributions/student.ts";
import { mean } from "../trainings.ts";

export interface Difference {
  readonly difference: number;
  readonly low: number;
  readonly high: number;
}

/**
 * Mean of paired differences over search seeds (rows) and items (columns) with its interval: the variance of the means of
 * items plus that of the means of seeds, which counts what both share twice and so is rather too wide, with Satterthwaite's
 * degrees of freedom. Null with fewer than two seeds or items.
 */
export function crossedDifference(
  rows: readonly (readonly number[])[],
  confidence: number,
): Difference | null {
  const items = rows[0]?.length ?? 0;
  if (rows.length < 2 || items < 2 || rows.some((row) => row.length !== items)) return null;
  const ofItems = Array.from({ length: items }, (_, i) => mean(rows.map((row) => row[i] ?? 0)));
  const parts = [errorOf(ofItems), errorOf(rows.map(mean))];
  const difference = mean(ofItems);
  const total = parts.reduce((sum, { of }) => sum + of, 0);
  if (total === 0) return { difference, low: difference, high: difference };
  const weight = parts.reduce((sum, { of, degrees }) => sum + of ** 2 / degrees, 0);
  const half = studentQuantile(1 - (1 - confidence) / 2, total ** 2 / weight) * Math.sqrt(total);
  return { difference, low: difference - half, high: difference + half };
}

/** Variance of a mean, and its degrees of freedom. */
function errorOf(values: readonly number[]): { readonly of: number; readonly degrees: number } {
  const { n, variance } = moments(values);
  return { of: variance / n, degrees: n - 1 };
}

/** The confidence of each of several intervals that hold together with the one that is asked for (Bonferroni). */
export const together = (confidence: number, comparisons: number): number =>
  1 - (1 - confidence) / Math.max(1, comparisons);

export type Verdict = "wins" | "matches" | "ties" | "loses";

/**
 * What an interval says of the first of two arms: it wins above 0, loses below, matches where it is worse by less than the
 * margin, and ties where nothing can be told.
 */
export function verdictOf({ low, high }: Difference, margin: number): Verdict {
  if (low > 0) return "wins";
  if (high < 0) return "loses";
  return low > -margin ? "matches" : "ties";
}

/** The difference of two sets of rows, seed by seed and item by item. */
export const pairedRows = (
  a: readonly (readonly number[])[],
  b: readonly (readonly number[])[],
): number[][] => a.map((row, s) => row.map((value, i) => value - (b[s]?.[i] ?? 0)));

/** Each item's mean over several trainings. */
export const meanRates = (rates: readonly (readonly number[])[]): number[] =>
  (rates[0] ?? []).map((_, i) => mean(rates.map((one) => one[i] ?? 0)));
