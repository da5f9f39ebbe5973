import type { LedgerEntry } from "../../../../shared/ledger/ledger.ts";
import { isSound } from "./signature.ts";
import type { TrustedKeys } from "./trustedKeys.ts";

/**
 * What an entry is worth. signed: by a key that is trusted here. earlier: a release that did not sign wrote it, before
 * anything in this ledger was signed. claim: anybody may have written it.
 */
export type Standing = "signed" | "earlier" | "claim";

/** What an entry is worth that speaks of a version first proposed as `commit`, in a ledger that is signed by then. */
export function standingOf(
  entry: LedgerEntry,
  trusted: TrustedKeys,
  commit: string | undefined,
): Exclude<Standing, "earlier"> {
  const { signature } = entry;
  if (signature === undefined) return "claim";
  const isAbout = signature.commit === null || commit === undefined || signature.commit === commit;
  return isAbout && trusted.has(signature.key) && isSound(entry) ? "signed" : "claim";
}

/**
 * The claims about one version in words. Where the version itself is one, as all are in a clone whose writer is not trusted
 * yet, that is said once, and beside it what would open something.
 */
export function claimTexts(claims: readonly LedgerEntry[], trusted: TrustedKeys): string[] {
  const [first] = claims;
  if (first?.type !== "version") return eachOnce(claims, [], trusted);
  const opening = claims.filter(
    ({ type }) => type === "approval" || type === "promotion" || type === "waiver",
  );
  return [
    `Nothing that the ledger says of this version counts: ${lackOf(first, trusted)}.`,
    ...eachOnce(opening, [first], trusted),
  ];
}

/** What to do where nobody who is trusted wrote something into the ledger. */
export const trustTheWriter =
  "trust the key of the person who wrote it (`evotrainer trust <key> --name <who>`)";

/** Claims in words, of which each key is written out once, and what to do about it: not again where an earlier one had it. */
function eachOnce(
  claims: readonly LedgerEntry[],
  before: readonly LedgerEntry[],
  trusted: TrustedKeys,
): string[] {
  const said = new Set(before.map((claim) => lackOf(claim, trusted)));
  return claims.map((claim) => {
    const lack = lackOf(claim, trusted);
    const { signature } = claim;
    const isSaid = said.has(lack) && signature !== undefined && isSound(claim) && !trusted.has(signature.key);
    said.add(lack);
    return claimText(claim, isSaid ? "the same key signed it" : lack);
  });
}

/** A claim in words: what it says, who is said to have said it, and what it lacks. */
function claimText(entry: LedgerEntry, lacks: string): string {
  switch (entry.type) {
    case "approval":
      return `The ledger says that ${entry.by} answered "${entry.answer}" at the ${entry.gate} gate, but this does not count: ${lacks}.`;
    case "promotion":
      return `The ledger says that it was promoted, but this does not count: ${lacks}.`;
    case "waiver":
      return `The ledger says that ${entry.by} let ${entry.diagnostic} be weakened, but this does not count: ${lacks}.`;
    case "decision":
      return `The ledger says that it was decided (${entry.decision}), but this does not count: ${lacks}.`;
    case "closing":
    case "smoke":
    case "question":
    case "version":
    case "hypothesis":
    case "backtest":
    case "job":
    case "evidence":
    case "calibration":
    case "screening":
    case "note":
    case "procedure":
      return `The ledger's ${entry.type} entry ${entry.id} is a claim: ${lacks}.`;
  }
}

function lackOf(entry: LedgerEntry, trusted: TrustedKeys): string {
  const { signature } = entry;
  if (signature === undefined) return "it is not signed by an engine that you trust";
  if (!isSound(entry) || trusted.has(signature.key)) return "its signature is not valid for this version";
  return `it is signed by the key ${signature.key}, which you do not trust (evotrainer trust <key> --name <who>, if it is a teammate's)`;
}
