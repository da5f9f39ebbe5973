import { normalQuantile } from "../../../shared/model/normalQuantile.ts";

/** The score interval of a share of `count` in `of` (Wilson 1927); the whole range where there is nothing to count. */
export function wilson(
  count: number,
  of: number,
  confidence = 0.95,
): { readonly low: number; readonly high: number } {
  if (of === 0) return { low: 0, high: 1 };
  const z2 = normalQuantile(1 - (1 - confidence) / 2) ** 2;
  const share = count / of;
  const middle = (share + z2 / (2 * of)) / (1 + z2 / of);
  const half = (Math.sqrt(z2) / (1 + z2 / of)) * Math.sqrt((share * (1 - share)) / of + z2 / (4 * of * of));
  // At the ends the bound is exact, but for rounding.
  return { low: count === 0 ? 0 : middle - half, high: count === of ? 1 : middle + half };
}
