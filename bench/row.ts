/** One line of the bench table: what was measured, what it may be at most. */
export interface BenchRow {
  readonly name: string;
  readonly measured: number;
  readonly target: number;
  readonly unit: "ratio" | "ms" | "MB" | "count";
  readonly detail: string;
}

/** A benchmark that this machine or this tree cannot run, with the reason. */
export interface SkippedRow {
  readonly name: string;
  readonly skipped: string;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const [low = NaN, high = NaN] = [sorted[Math.ceil(sorted.length / 2) - 1], sorted[middle]];
  return (low + high) / 2;
}

/** The least disturbed run: on a shared machine what others do only ever adds to a time. */
export function least(values: readonly number[]): number {
  return Math.min(...values);
}

/** The value below which a share of the values lies. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? NaN;
}
