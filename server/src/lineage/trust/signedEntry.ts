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

/** Under which ids the ledger may say what a version was first proposed as. */
export const versionIds = (version: string): string[] => idsOf(`version:${version}`);

/**
 * The first of the entries that a trusted key signed for what its version is here: what is a claim comes to nothing, and
 * what the same key signed in another project too. `heldAs` gives what the ledger has under an id.
 */
export function firstSigned(
  entries: readonly (LedgerEntry | undefined)[],
  heldAs: (id: string) => LedgerEntry | undefined,
): LedgerEntry | undefined {
  const trusted = trustedKeys();
  return entries.find((entry) => {
    if (entry === undefined) return false;
    const bound = entry.signature?.commit ?? null;
    const here = versionIds(entry.version).map(heldAs);
    const isHere = here.some(
      (version) =>
        version?.type === "version" &&
        version.commit === bound &&
        version.domain === entry.domain &&
        standingOf(version, trusted, bound) === "signed",
    );
    return (bound === null || isHere) && standingOf(entry, trusted, undefined) === "signed";
  });
}
