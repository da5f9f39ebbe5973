/**
 * Numbers of a curve: the values of a training metric, one per step, in the order of the steps. Single steps are noisy, so all
 * of them compare windows of steps.
 */

export const meanOf = (values: readonly number[]): number =>
  values.reduce((a, b) => a + b, 0) / values.length;

/** The first and the last tenth of the steps, at least five each; never more than half of them. */
export function windowsOf(values: readonly number[]): { early: readonly number[]; late: readonly number[] } {
  const half = Math.max(1, Math.floor(values.length / 2));
  const size = Math.min(half, Math.max(5, Math.round(values.length / 10)));
  return { early: values.slice(0, size), late: values.slice(-size) };
}

/**
 * By how many standard deviations of the steps within both windows the last window lies above the first. Null for fewer than
 * four steps, and where neither window varies, so that there is nothing to measure a difference by.
 */
export function gainOf(values: readonly number[]): number | null {
  if (values.length < 4) return null;
  const { early, late } = windowsOf(values);
  return inDeviations(early, late);
}

/** The window with the highest mean among those as long as the last one. */
export function bestWindow(values: readonly number[]): readonly number[] {
  const size = windowsOf(values).late.length;
  const start = bestStart(values, size);
  return values.slice(start, start + size);
}

/**
 * By how many standard deviations of the steps within both the last window lies above the five steps before this index; null as for
 * `gainOf`, and without a step before it.
 */
export function gainSince(values: readonly number[], at: number): number | null {
  const before = values.slice(Math.max(0, at - 5), at);
  return before.length === 0 || values.length < 4 ? null : inDeviations(before, windowsOf(values).late);
}

/** By how many standard deviations of the steps within both windows the last window lies below the best; null as for `gainOf`. */
export function dropOf(values: readonly number[]): number | null {
  if (values.length < 4) return null;
  return inDeviations(windowsOf(values).late, bestWindow(values));
}

/** The highest mean over three steps in a row; over all of them where there are fewer. */
export function peakOf(values: readonly number[]): number {
  const size = Math.min(3, values.length);
  const start = bestStart(values, size);
  return meanOf(values.slice(start, start + size));
}

/** Where the level of a curve changes: the index of the first step of the new level, and the means on both sides. */
export interface Change {
  readonly at: number;
  readonly before: number;
  readonly after: number;
}

/** A side of a change has at least as many steps. */
const shortestSide = 5;

/**
 * The one split of a curve into two levels that leaves the smallest squares. Null for fewer than ten steps, and where the two
 * levels differ by less than twice the standard deviation of the steps around them.
 */
export function changeOf(values: readonly number[]): Change | null {
  const n = values.length;
  if (n < 2 * shortestSide) return null;
  const mean = meanOf(values);
  const total = values.reduce((sum, v) => sum + (v - mean) ** 2, 0);
  let best = { at: 0, between: 0, before: 0, after: 0 };
  let left = 0;
  const sum = mean * n;
  for (let at = 1; at <= n - shortestSide; at++) {
    left += values[at - 1] ?? 0;
    if (at < shortestSide) continue;
    const [before, after] = [left / at, (sum - left) / (n - at)];
    const between = ((at * (n - at)) / n) * (after - before) ** 2;
    if (between > best.between) best = { at, between, before, after };
  }
  const { at, between, before, after } = best;
  const around = Math.sqrt(Math.max(0, total - between) / (n - 2));
  // Sums of equal values differ in their last digits.
  const least = 1e-9 * Math.max(Math.abs(before), Math.abs(after));
  return at > 0 && Math.abs(after - before) > Math.max(2 * around, least) ? { at, before, after } : null;
}

/**
 * By how many standard deviations of the steps around it the level of a curve jumps where it changes: five steps from the change on
 * against the five before it. A curve that climbs evenly comes to about 3. Null without a change, and where none of these steps
 * varies within its side.
 */
export function jumpOf(values: readonly number[]): number | null {
  const change = changeOf(values);
  if (change === null) return null;
  const { at } = change;
  return inDeviations(values.slice(at - shortestSide, at), values.slice(at, at + shortestSide));
}

/** How many steps in a row, up to the last, have the lowest value of all. */
export function stepsAtLowest(values: readonly number[]): number {
  const lowest = values.reduce((a, b) => Math.min(a, b));
  return values.length - 1 - values.findLastIndex((value) => value > lowest);
}

/**
 * Of the steps before the last one above the lowest value, the share that lies above it, too; null where no step comes before. That
 * last one is left out, because where it stands depends on how rare such steps are.
 */
export function shareAboveLowest(values: readonly number[]): number | null {
  const lowest = values.reduce((a, b) => Math.min(a, b));
  const before = values.slice(0, Math.max(0, values.length - stepsAtLowest(values) - 1));
  return before.length === 0 ? null : before.filter((value) => value > lowest).length / before.length;
}

/** `to` − `from` in standard deviations of the steps within each; 0 where they are equal, null where neither varies. */
function inDeviations(from: readonly number[], to: readonly number[]): number | null {
  const [low, high] = [meanOf(from), meanOf(to)];
  if (low === high) return 0;
  const squares = [...from.map((v) => (v - low) ** 2), ...to.map((v) => (v - high) ** 2)];
  const spread = Math.sqrt(squares.reduce((a, b) => a + b, 0) / (squares.length - 2));
  return spread === 0 ? null : (high - low) / spread;
}

/** Where the window of this size with the highest sum begins, the first of several. */
function bestStart(values: readonly number[], size: number): number {
  let sum = values.slice(0, size).reduce((a, b) => a + b, 0);
  let best = { start: 0, sum };
  for (let start = 1; start + size <= values.length; start++) {
    sum += (values[start + size - 1] ?? 0) - (values[start - 1] ?? 0);
    if (sum > best.sum) best = { start, sum };
  }
  return best.start;
}
