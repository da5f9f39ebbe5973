import type { LedgerEntry } from "./ledger.ts";

export type Closing = Readonly<Extract<LedgerEntry, { type: "closing" }>>;

/** The id of the entry that closes a run. */
export const closingId = (run: string): string => `closing:${run}`;

/** The files of a run's folder that the archive reads. */
export const evidenceFileNames = ["rollouts.jsonl", "metrics.jsonl", "gpu.jsonl"] as const;
