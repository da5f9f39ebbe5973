import type { LedgerEntry } from "../../../../shared/ledger/ledger.ts";
import type { Factor } from "../../../../shared/spec/common.ts";
import { EntryLog } from "../../lineage/entries/entryLog.ts";

/** What the ledger knows of a version that its evidence does not say. */
export interface PlaceInLineage {
  readonly parent: string | null;
  /** Its parent, the parent of that, and so on to the base version. */
  readonly ancestors: readonly string[];
  /** Failure class of its last training job; null when it finished, or when there was none. */
  readonly jobFailure: string | null;
  /** Whether its reward is made otherwise than its parent's, so that the two mean rewards cannot be compared. */
  readonly rewardDiffers: boolean;
}

/** A version's ancestors and the end of its last job, of what the ledger says. */
export function placeIn(entries: Iterable<LedgerEntry>, version: string): PlaceInLineage {
  const log = EntryLog.of(entries);
  const parents = new Map<string, string | null>();
  let jobFailure: PlaceInLineage["jobFailure"] = null;
  let rewardDiffers = false;
  let other: string | undefined;
  for (let place = 0; place < log.length; place++) {
    const type = log.typeAt(place);
    if (type !== "version" && type !== "job" && type !== "approval") continue;
    const name = log.nameOf(log.subjectAt(place));
    const parent = log.parentAt(place);
    if (type === "version") parents.set(name, parent === -1 ? null : log.nameOf(parent));
    if (name !== version) continue;
    const entry = log.at(place);
    if (entry.type === "job") jobFailure = entry.failure;
    if (entry.type === "version") {
      other = entry.merges ?? entry.joins;
      rewardDiffers = isReward(entry.factor, other);
    }
    // At its gate less may have been taken than was proposed, or something else.
    if (entry.type === "approval" && entry.change !== undefined)
      rewardDiffers = isReward(entry.change.factor, other);
  }
  const ancestors = new Set<string>();
  // A ledger that was merged or edited may hold a circle.
  for (let at = parents.get(version); at != null && at !== version && !ancestors.has(at);) {
    ancestors.add(at);
    at = parents.get(at);
  }
  return { parent: parents.get(version) ?? null, ancestors: [...ancestors], jobFailure, rewardDiffers };
}

/** What has the edits of another version as well may bring several factors, and a reward among them. */
const isReward = (factor: Factor | null, other: string | undefined): boolean =>
  factor === "reward" || (factor === null && other !== undefined);
