import type { LedgerEntry } from "../../../../shared/ledger/ledger.ts";
import type { EntryLog } from "../entries/entryLog.ts";
import { standingOf } from "./standing.ts";
import { trustedKeys } from "./trustedKeys.ts";

/** The entries of a type that count: those that a trusted key signed, and those from before anything was signed. No claims. */
export function* countedOfType<T extends LedgerEntry["type"]>(
  log: EntryLog,
  type: T,
): Generator<Extract<LedgerEntry, { type: T }>> {
  const isOf = (entry: LedgerEntry): entry is Extract<LedgerEntry, { type: T }> => entry.type === type;
  const { firstSigned } = log;
  const trusted = trustedKeys();
  for (let place = 0; place < log.length; place++) {
    if (log.typeAt(place) !== type) continue;
    const entry = log.at(place);
    if (!isOf(entry)) continue;
    if (place < firstSigned || standingOf(entry, trusted, undefined) === "signed") yield entry;
  }
}
