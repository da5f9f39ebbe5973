import { regularizedBeta, solveIncreasing } from "./gamma.ts";

/** The number in [0, 1] below which a Beta(a, b) variable, a, b > 0, lies with probability `p` in [0, 1]. */
export function betaQuantile(p: number, a: number, b: number): number {
  if (p <= 0) return 0;
  if (p >= 1) return 1;
  return solveIncreasing((x) => regularizedBeta(x, a, b), p, { low: 0, high: 1 });
}
