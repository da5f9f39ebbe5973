import { regularizedBeta, solveIncreasing } from "./gamma.ts";

/** P(X ≤ k) of a binomial with n trials. */
export function binomialCdf(k: number, n: number, p: number): number {
  if (k < 0) return 0;
  if (k >= n) return 1;
  return regularizedBeta(1 - p, n - k, k + 1);
}

/** The largest probability under which k or fewer of n successes still happen with `tail` (Clopper and Pearson 1934). */
export function highestShare(k: number, n: number, tail: number): number {
  if (k >= n) return 1;
  return solveIncreasing((p) => 1 - binomialCdf(k, n, p), 1 - tail, { low: 0, high: 1 });
}

/** Two-sided exact test of McNemar: of b + c discordant pairs, as uneven a split as this or more; 1 without any. */
export function mcnemarExact(b: number, c: number): number {
  return Math.min(1, 2 * binomialCdf(Math.min(b, c), b + c, 0.5));
}
