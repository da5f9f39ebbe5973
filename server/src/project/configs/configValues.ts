import type { Factor, Scalar } from "../../../../shared/spec/common.ts";

/** A value that two texts of one config do not have in common; undefined on the side that lacks it. */
export interface ValueChange {
  readonly path: string;
  readonly from: Scalar | undefined;
  readonly to: Scalar | undefined;
}

/** More differences than these are not listed: the two files have little in common. */
const maxChanges = 2000;

/** What differs between the values of two configs, by path. */
export function changesOf(
  before: ReadonlyMap<string, Scalar>,
  now: ReadonlyMap<string, Scalar>,
): ValueChange[] {
  const changes: ValueChange[] = [];
  for (const [path, to] of now)
    if (!before.has(path) || !Object.is(before.get(path), to))
      changes.push({ path, from: before.get(path), to });
  for (const [path, from] of before) if (!now.has(path)) changes.push({ path, from, to: undefined });
  return changes.slice(0, maxChanges);
}

/** Every scalar of a document by its dotted path. */
export function scalarsOf(value: unknown): ReadonlyMap<string, Scalar> {
  const found = new Map<string, Scalar>();
  const visit = (at: unknown, path: string): void => {
    if (typeof at === "object" && at !== null) {
      for (const [key, child] of Object.entries(at)) visit(child, path === "" ? key : `${path}.${key}`);
      return;
    }
    if (at === null || typeof at === "string" || typeof at === "number" || typeof at === "boolean")
      found.set(path, at);
  };
  visit(value, "");
  return found;
}

/**
 * The factors that changes are of, each with its changes. A value on the surfaces of several factors counts for one that is
 * changed anyway, else for the first.
 */
export function byFactor<T extends { readonly factors: readonly Factor[] }>(
  changes: readonly T[],
): ReadonlyMap<Factor, readonly T[]> {
  const found = new Map<Factor, T[]>();
  for (const change of [...changes].sort((a, b) => a.factors.length - b.factors.length)) {
    const factor = change.factors.find((f) => found.has(f)) ?? change.factors[0];
    if (factor !== undefined) found.set(factor, [...(found.get(factor) ?? []), change]);
  }
  return found;
}
