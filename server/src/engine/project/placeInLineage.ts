import type { LedgerEntry } from "../../../../shared/ledger/ledger.ts";
import { EntryLog } from "../../lineage/entries/entryLog.ts";

/** What the ledger knows of a version that its evidence does not say. */
export interface PlaceInLineage {
  readonly parent: string | null;
  /** Its parent, the parent of that, and so on to the base version. */
  readonly ancestors: readonly string[];
  /** Failure class of its last training job; null when it finished, or when there was none. */
  readonly jobFailure: string | null;
}

/** A version's ancestors and the end of its last job, of what the ledger says. */
export function placeIn(entries: Iterable<LedgerEntry>, version: string): PlaceInLineage {
  const log = EntryLog.of(entries);
  const parents = new Map<string, string | null>();
  let jobFailure: PlaceInLineage["jobFailure"] = null;
  for (let place = 0; place < log.length; place++) {
    const type = log.typeAt(place);
    if (type !== "version" && type !== "job") continue;
    const name = log.nameOf(log.subjectAt(place));
    const parent = log.parentAt(place);
    if (type === "version") parents.set(name, parent === -1 ? null : log.nameOf(parent));
    else if (name === version) {
      const job = log.at(place);
      if (job.type === "job") jobFailure = job.failure;
    }
  }
  const ancestors = new Set<string>();
  // A ledger that was merged or edited may hold a circle.
  for (let at = parents.get(version); at != null && at !== version && !ancestors.has(at);) {
    ancestors.add(at);
    at = parents.get(at);
  }
  return { parent: parents.get(version) ?? null, ancestors: [...ancestors], jobFailure };
}
