import type { EntryLog } from "./entryLog.ts";

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
  /** What the ledger's user is to be told: that it was changed by hand, and what to do. */
  readonly notices: readonly string[];
  /** Whether it does not go on from what this user's engines last saw of it. */
  readonly isBroken: boolean;
}
