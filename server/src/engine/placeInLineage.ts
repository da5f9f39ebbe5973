import type { LedgerEntry } from "../../../shared/model/ledger.ts";

/** What the ledger knows of a version that its evidence does not say. */
export interface PlaceInLineage {
  readonly parent: string | null;
  /** Failure class of its last training job; null when it finished, or when there was none. */
  readonly jobFailure: string | null;
}

/** A version's parent and the end of its last job, of what the ledger says. */
export function placeIn(entries: readonly LedgerEntry[], version: string): PlaceInLineage {
  let place: PlaceInLineage = { parent: null, jobFailure: null };
  for (const entry of entries) {
    if (entry.type === "version" && entry.version === version) place = { ...place, parent: entry.parent };
    if (entry.type === "job" && entry.version === version) place = { ...place, jobFailure: entry.failure };
  }
  return place;
}
