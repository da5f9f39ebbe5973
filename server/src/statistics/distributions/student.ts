import { regularizedBeta, solveIncreasing } from "./gamma.ts";
import { normalQuantile } from "../../../../shared/model/normalQuantile.ts";

/** Distribution function of Student's t; `degrees` may be fractional, Infinity is the normal limit's degrees 1e7. */
export function studentCdf(t: number, degrees: number): number {
  const v = Math.min(degrees, 1e7);
  const tail = 0.5 * regularizedBeta(v / (v + t * t), v / 2, 0.5);
  return t > 0 ? 1 - tail : tail;
}

/** Quantile of Student's t for p in (0, 1). */
export function studentQuantile(p: number, degrees: number): number {
  if (p === 0.5) return 0;
  if (p < 0.5) return -studentQuantile(1 - p, degrees);
  if (degrees > 1e6) return normalQuantile(p);
  let high = 10;
  while (studentCdf(high, degrees) < p && high < 1e300) high *= 4;
  return solveIncreasing((t) => studentCdf(t, degrees), p, { low: 0, high });
}
