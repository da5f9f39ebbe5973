export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** Linear interpolation between order statistics (Hyndman and Fan 1996, type 7). */
export function quantileSorted(sorted: ArrayLike<number>, p: number): number {
  const position = (sorted.length - 1) * p;
  const below = Math.floor(position);
  const a = sorted[below] ?? Number.NaN;
  const b = sorted[Math.min(below + 1, sorted.length - 1)] ?? Number.NaN;
  return a === b ? a : a + (b - a) * (position - below);
}
