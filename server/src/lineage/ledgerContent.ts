import type { EntryLog } from "./entries/entryLog.ts";

/** An entry of the ledger's branch that could not be used. The others are not affected. */
export interface Quarantined {
  readonly path: string;
  readonly reason: string;
}

export interface LedgerContent {
  /** In the order of the ledger's commits; within one commit by time, then by type as things follow one another. */
  readonly entries: EntryLog;
  readonly quarantined: readonly Quarantined[];
  /** The ledger's commit that was read; undefined while there is no ledger. */
  readonly head: string | undefined;
}
