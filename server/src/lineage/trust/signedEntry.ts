import type { LedgerEntry } from "../../../../shared/ledger/ledger.ts";
import { standingOf } from "./standing.ts";
import { trustedKeys } from "./trustedKeys.ts";

/** So often somebody else can have taken the id of an entry that this engine has to write. */
export const mostIds = 8;

/** The id asked for, or the next one that is left where a claim has it. */
export const idAt = (id: string, n: number): string =>
  n === 1 ? id : `${id.slice(0, 190)}:own${n === 2 ? "" : n - 1}`;

/** All ids under which this engine may have written an entry, in the order in which it tries them. */
export const idsOf = (id: string): string[] => Array.from({ length: mostIds }, (_, n) => idAt(id, n + 1));

/** The first of the entries that a trusted key signed: what is a claim comes to nothing. */
export function firstSigned(entries: readonly (LedgerEntry | undefined)[]): LedgerEntry | undefined {
  const trusted = trustedKeys();
  return entries.find((entry) => entry !== undefined && standingOf(entry, trusted, undefined) === "signed");
}
