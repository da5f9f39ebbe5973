import type { LedgerEntry } from "../../../../shared/ledger/ledger.ts";

/** What the ledger knows of a version that its evidence does not say. */
export interface PlaceInLineage {
  readonly parent: string | null;
  /** Its parent, the parent of that, and so on to the base version. */
  readonly ancestors: readonly string[];
  /** Failure class of its last training job; null when it finished, or when there was none. */
  readonly jobFailure: string | null;
}

/** A version's ancestors and the end of its last job, of what the ledger says. */
export function placeIn(entries: readonly LedgerEntry[], version: string): PlaceInLineage {
  const parents = new Map<string, string | null>();
  let jobFailure: PlaceInLineage["jobFailure"] = null;
  for (const entry of entries) {
    if (entry.type === "version") parents.set(entry.version, entry.parent);
    if (entry.type === "job" && entry.version === version) jobFailure = entry.failure;
  }
  const ancestors = new Set<string>();
  // A ledger that was merged or edited may hold a circle.
  for (let at = parents.get(version); at != null && at !== version && !ancestors.has(at);) {
    ancestors.add(at);
    at = parents.get(at);
  }
  return { parent: parents.get(version) ?? null, ancestors: [...ancestors], jobFailure };
}
