import { studentQuantile } from "./distributions/student.ts";
import { bestWindow, meanOf, windowsOf } from "./curves.ts";

/**
 * How sure a difference between two windows of a curve is. Windows of many noisy steps tell small differences, so it is measured by
 * the error of their means and not by the spread of single steps.
 */

/** So many batches, at least, a curve of more than twenty steps is cut into. */
const batches = 20;

/**
 * The standard error of the difference of two window means, and its degrees of freedom. It comes from how much the means of
 * neighbouring batches differ: steps that resemble their neighbours vary together within a batch, and a level that climbs slowly
 * differs little between two batches.
 */
function differenceError(
  values: readonly number[],
  errors?: readonly number[],
): { error: number; degrees: number } {
  const window = windowsOf(values).late.length;
  const size = Math.max(1, Math.floor(values.length / batches));
  const means: number[] = [];
  for (let end = values.length; end >= size; end -= size) means.push(meanOf(values.slice(end - size, end)));
  const differences = means.length - 1;
  let squares = 0;
  for (let i = 1; i < means.length; i++) squares += ((means[i] ?? 0) - (means[i - 1] ?? 0)) ** 2;
  const ofBatch = squares / (2 * differences);
  // Differences of neighbours share a batch, which leaves about two thirds of them.
  const ofSteps = Math.sqrt((2 * ofBatch * size) / window);
  return {
    error: Math.max(ofSteps, sampledError(errors, window)),
    degrees: Math.max(1, (2 * differences) / 3),
  };
}

/**
 * The standard error of the difference of two window means that comes from the rollouts of their steps alone, by those steps
 * that have the fewest: a run of few steps shows too little by itself of how far their means vary.
 */
function sampledError(errors: readonly number[] | undefined, window: number): number {
  if (errors === undefined) return 0;
  const largest = bestWindow(errors.map((error) => error ** 2));
  return Math.sqrt((2 * meanOf(largest)) / window);
}

/** The mean of the last window, less 2.58 standard errors of it where those of its steps are known. */
export function lateLow(values: readonly number[], errors?: readonly number[]): number {
  const { late } = windowsOf(values);
  const squares = errors === undefined ? 0 : meanOf(windowsOf(errors).late.map((error) => error ** 2));
  return meanOf(late) - 2.58 * Math.sqrt(squares / late.length);
}

/** Between which bounds the rise from the first to the last window lies, with 95 % confidence; null for fewer than ten steps. */
export function riseBounds(
  values: readonly number[],
  errors?: readonly number[],
): readonly [number, number] | null {
  if (values.length < 10) return null;
  const { early, late } = windowsOf(values);
  const rise = meanOf(late) - meanOf(early);
  const { error, degrees } = differenceError(values, errors);
  const margin = error * studentQuantile(0.975, degrees);
  return [rise - margin, rise + margin];
}

/** By how many standard errors of a difference the last window lies below the best; null for fewer than ten steps. */
export function dropInErrors(values: readonly number[], errors?: readonly number[]): number | null {
  if (values.length < 10) return null;
  const drop = meanOf(bestWindow(values)) - meanOf(windowsOf(values).late);
  return drop === 0 ? 0 : drop / differenceError(values, errors).error;
}

/** So many steps before a sharp fall are looked at, and so many after it have to be there. */
const [beforeFall, afterFall] = [20, 5];

/**
 * How far the last steps of a curve lie below the twenty before them, where each of them lies below all of those; 0 where none do. A
 * window of a tenth of the steps sees a fall only when half of it has passed. So many as five, and no more than such a window, are
 * tried; where the errors of the steps are known, the fall also has to be 4.5 of its own. Null for fewer than 25 steps.
 */
export function sharpFall(values: readonly number[], errors?: readonly number[]): number | null {
  if (values.length < beforeFall + afterFall) return null;
  const most = Math.min(windowsOf(values).late.length, values.length - beforeFall);
  let fall = 0;
  let highest = -Infinity;
  for (let size = 1; size <= most; size++) {
    const at = values.length - size;
    highest = Math.max(highest, values[at] ?? highest);
    const before = values.slice(at - beforeFall, at);
    if (size < afterFall || before.some((value) => value <= highest)) continue;
    const fell = meanOf(before) - meanOf(values.slice(at));
    if (errors === undefined || fell > sureErrors * errorOfMeans(errors, at)) fall = Math.max(fall, fell);
  }
  return fall;
}

const sureErrors = 4.5;

/** The standard error of the difference of the means before and from an index on. */
function errorOfMeans(errors: readonly number[], at: number): number {
  const ofMean = (part: readonly number[]): number => meanOf(part.map((error) => error ** 2)) / part.length;
  return Math.sqrt(ofMean(errors.slice(at - beforeFall, at)) + ofMean(errors.slice(at)));
}

/** The steps of a run between which a curve came down from its first to its last window: indices into the values. */
export interface Fall {
  readonly from: number;
  readonly to: number;
  /** The first step of the lower level, where at least half of the fall lies between it and the step before. */
  readonly at: number | undefined;
}

/** Steps of which the median is taken, so that one step says nothing alone. */
const smoothed = 5;

/**
 * Where a curve fell: from the last step until which it had lost no more than a tenth of the fall, to the first from which on it
 * had lost nine. Null for fewer than ten steps, and where the last window does not lie below the first.
 */
export function fallOf(values: readonly number[]): Fall | null {
  if (values.length < 10) return null;
  const { early, late } = windowsOf(values);
  const [high, fall] = [meanOf(early), meanOf(early) - meanOf(late)];
  if (fall <= 0) return null;
  const smooth = values.map((_, i) => medianAround(values, i));
  const from = smooth.findLastIndex((value) => value >= high - 0.1 * fall);
  const to = smooth.findIndex((value, i) => i >= from && value <= high - 0.9 * fall);
  if (from === -1 || to === -1) return null;
  let steepest = { at: 0, drop: 0 };
  for (let at = 1; at < values.length; at++) {
    const drop =
      medianOf(values.slice(Math.max(0, at - smoothed), at)) - medianOf(values.slice(at, at + smoothed));
    const own = (values[at - 1] ?? 0) - (values[at] ?? 0);
    if (drop >= 0.5 * fall && own >= 0.5 * fall && drop > steepest.drop) steepest = { at, drop };
  }
  return { from, to, at: steepest.drop > 0 ? steepest.at : undefined };
}

const medianAround = (values: readonly number[], i: number): number => {
  const half = Math.min((smoothed - 1) / 2, i, values.length - 1 - i);
  return medianOf(values.slice(i - half, i + half + 1));
};

const medianOf = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
};
