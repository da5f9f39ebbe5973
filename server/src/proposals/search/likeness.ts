import type { Scalar } from "../../../../shared/spec/common.ts";
import type { CaseEdit } from "../../memory/cases/case.ts";

/** Values further apart than about this, as a share of the larger one, say little of each other. */
const reach = 0.6;
/** Values that are no numbers are this far apart. */
const otherValue = 1;
/** The part of an effect that goes on in its direction: who gained by going up may gain by going further. */
const trend = 0.25;

/**
 * How much the effects of two changes of the same places have in common, in [-1, 1]: 1 for the same change, -1 for the one that
 * takes it back, 0 for changes of other places. What a setting is worth is taken to be a smooth function of its value, with a
 * trend; a change does what lies between the two values. The effects of several edits add up. Symmetric and positive
 * semidefinite. Pure.
 */
export function likeness(a: readonly CaseEdit[], b: readonly CaseEdit[]): number {
  const scale = Math.sqrt(shared(a, a) * shared(b, b));
  return scale === 0 ? 0 : shared(a, b) / scale;
}

function shared(a: readonly CaseEdit[], b: readonly CaseEdit[]): number {
  let sum = 0;
  for (const one of a) for (const other of b) sum += between(one, other);
  return sum;
}

function between(a: CaseEdit, b: CaseEdit): number {
  if (a.type === "patch" || b.type === "patch")
    return a.type === "patch" && b.type === "patch" && a.patch === b.patch ? 1 : 0;
  if (a.file !== b.file || a.path !== b.path) return 0;
  const spread = Math.sqrt((1 - near(a.from, a.to)) * (1 - near(b.from, b.to)));
  // An edit that leaves its value as it is does nothing.
  if (spread === 0) return 0;
  const smooth = (near(a.to, b.to) - near(a.to, b.from) - near(a.from, b.to) + near(a.from, b.from)) / 2;
  const [up, other] = [direction(a.from, a.to), direction(b.from, b.to)];
  if (up === 0 || other === 0) return smooth / spread;
  return trend * up * other + ((1 - trend) * smooth) / spread;
}

/** In (0, 1]: how much of what a setting is worth at one value it is worth at another one. */
function near(a: Scalar, b: Scalar): number {
  return Math.exp(-((apart(a, b) / reach) ** 2) / 2);
}

function apart(a: Scalar, b: Scalar): number {
  if (Object.is(a, b)) return 0;
  if (typeof a !== "number" || typeof b !== "number") return otherValue;
  return Math.min(1, Math.abs(a - b) / Math.max(Math.abs(a), Math.abs(b)));
}

const direction = (from: Scalar, to: Scalar): number =>
  typeof from === "number" && typeof to === "number" ? Math.sign(to - from) : 0;
