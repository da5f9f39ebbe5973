import type { Factor, Scalar } from "../../../../shared/spec/common.ts";
import type { CaseEdit } from "./case.ts";

/** What a change is, for the comparison with others. */
export interface Change {
  readonly factor: Factor | null;
  readonly edits: readonly CaseEdit[];
}

/** Values of one place that differ by less than this share of the larger one are nearly the same. */
const nearlySame = 0.1;

/** A value at another place of the same factor, and a change of another factor. */
const [otherPlace, otherFile, otherFactor] = [0.7, 0.85, 1] as const;

/**
 * How far two changes are apart, in [0, 1]: 0 is the same edit, up to 0.5 another value at the same place, above that other
 * places. Of changes with several edits each edit counts with the nearest of the other one's.
 */
export function editDistance(one: Change, other: Change): number {
  if (one.edits.length === 0 || other.edits.length === 0)
    return one.factor !== null && one.factor === other.factor ? otherFile : otherFactor;
  return Math.max(farthest(one, other), farthest(other, one));
}

function farthest(from: Change, to: Change): number {
  let most = 0;
  for (const edit of from.edits) {
    let nearest = 1;
    for (const candidate of to.edits)
      nearest = Math.min(nearest, between(edit, candidate, from.factor === to.factor));
    most = Math.max(most, nearest);
  }
  return most;
}

function between(a: CaseEdit, b: CaseEdit, sameFactor: boolean): number {
  const apart = sameFactor ? otherFile : otherFactor;
  if (a.type === "patch" || b.type === "patch")
    return a.type === "patch" && b.type === "patch" && a.patch === b.patch ? 0 : apart;
  if (a.file !== b.file) return apart;
  if (a.path !== b.path) return sameFactor ? otherPlace : otherFactor;
  return valueDistance(a.to, b.to, a.from);
}

/** Up to a half: the distance of two values at one place, relative to the largest of them. */
function valueDistance(a: Scalar, b: Scalar, from: Scalar): number {
  if (Object.is(a, b)) return 0;
  if (typeof a !== "number" || typeof b !== "number") return 0.5;
  const scale = Math.max(Math.abs(a), Math.abs(b), typeof from === "number" ? Math.abs(from) : 0);
  const apart = Math.min(1, Math.abs(a - b) / (scale || 1)) / 2;
  return isOtherDirection(a, b, from) ? 0.5 : apart;
}

/** Whether one value is above what stood there and the other one below. */
function isOtherDirection(a: number, b: number, from: Scalar): boolean {
  return typeof from === "number" && Math.sign(a - from) !== Math.sign(b - from);
}

/** Whether two changes are nearly the same one. */
export function isNearCopy(one: Change, other: Change): boolean {
  return one.edits.length > 0 && other.edits.length > 0 && editDistance(one, other) <= nearlySame / 2;
}
