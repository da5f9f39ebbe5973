import type { LedgerEntry } from "../../../../shared/ledger/ledger.ts";
import { assertNever } from "../../base/errors.ts";
import { claimTexts, type Standing } from "../trust/standing.ts";
import type { TrustedKeys } from "../trust/trustedKeys.ts";
import type { Of, VersionEntry, VersionRecord } from "./versionRecord.ts";

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
interface Draft extends Mutable<
  Omit<
    VersionRecord,
    "approvals" | "waivers" | "jobs" | "smokes" | "screenings" | "decisions" | "evidence" | "notes" | "claims"
  >
> {
  approvals: Of<"approval">[];
  waivers: Of<"waiver">[];
  jobs: Of<"job">[];
  screenings: Of<"screening">[];
  smokes: Of<"smoke">[];
  decisions: Of<"decision">[];
  notes: Of<"note">[];
  claims: string[];
  evidence: Mutable<VersionRecord["evidence"]>;
}

/** An entry, and what it is worth, which takes time to find out. */
export interface Weighed<T extends LedgerEntry = LedgerEntry> {
  readonly entry: T;
  readonly standing: () => Standing;
}

/** Puts together what the ledger says of one version: the entry that it begins with, and the others in their order. */
export function gatherRecord(
  beginning: Weighed<VersionEntry>,
  others: Iterable<Weighed>,
  trusted: TrustedKeys,
): VersionRecord {
  const { entry } = beginning;
  // What another tool recorded was never signed, and opens nothing here.
  const isForeign = entry.origin !== undefined;
  const draft = begin(entry, isForeign ? "earlier" : beginning.standing());
  const claimed: LedgerEntry[] = draft.standing === "claim" ? [entry] : [];
  const early: Of<"approval">[] = [];
  for (const other of others) {
    const one = other.entry;
    const standing = isForeign || !isWeighed(one) ? "signed" : other.standing();
    if (standing === "claim") claimed.push(one);
    else if (standing === "earlier" && one.type === "approval") early.push(one);
    else attach(draft, one);
  }
  // An approval that nobody signed is history where something came of it, and opens nothing any more.
  if (draft.jobs.length > 0 || draft.decision !== undefined) draft.approvals.unshift(...early);
  else claimed.push(...early);
  for (const approval of draft.approvals) alter(draft, approval);
  for (const claim of claimed) if (isMissing(draft, claim)) attach(draft, claim);
  draft.claims.push(...claimTexts(claimed, trusted));
  return draft;
}

/** What people noted is told whoever wrote it; all else may be what a decision rests on, open a gate, or guide a proposer. */
const isWeighed = (entry: LedgerEntry): boolean =>
  entry.type === "note" ? entry.what === "hint" : entry.type !== "version";

/**
 * A version that nobody who is trusted here made is shown as its entries tell it, as in a clone of a teammate's ledger; of
 * one that was made here a claim changes nothing.
 */
function isMissing(draft: Draft, claim: LedgerEntry): boolean {
  if (draft.standing !== "claim") return false;
  if (claim.type === "evidence") return draft.evidence[claim.split] === undefined;
  if (claim.type === "hypothesis" || claim.type === "backtest" || claim.type === "decision")
    return draft[claim.type] === undefined;
  return claim.type === "job";
}

const begin = (entry: VersionEntry, standing: Standing): Draft => ({
  standing,
  claims: [],
  name: entry.version,
  commit: entry.commit,
  proposed: entry.commit,
  parent: entry.parent,
  generation: entry.generation,
  factor: entry.factor,
  intervention: entry.intervention,
  title: entry.title,
  proposedAs: entry.title,
  at: entry.at,
  ...(entry.origin === undefined ? {} : { origin: entry.origin }),
  ...(entry.merges === undefined ? {} : { merges: entry.merges }),
  ...(entry.without === undefined ? {} : { without: entry.without }),
  ...(entry.joins === undefined ? {} : { joins: entry.joins }),
  approvals: [],
  waivers: [],
  jobs: [],
  screenings: [],
  smokes: [],
  decisions: [],
  notes: [],
  evidence: {},
});

function attach(draft: Draft, entry: LedgerEntry): void {
  switch (entry.type) {
    case "version":
      return;
    case "hypothesis":
      draft.hypothesis = entry;
      return;
    case "backtest":
      draft.backtest = entry;
      return;
    case "approval":
      draft.approvals.push(entry);
      return;
    case "waiver":
      draft.waivers.push(entry);
      return;
    case "job":
      draft.jobs.push(entry);
      return;
    case "evidence":
      draft.evidence[entry.split] = entry;
      return;
    case "calibration":
      draft.calibration = entry;
      return;
    case "screening":
      draft.screenings.push(entry);
      return;
    case "decision":
      draft.decision = entry;
      draft.decisions.push(entry);
      return;
    case "promotion":
      draft.promotion = entry;
      return;
    case "note":
      draft.notes.push(entry);
      return;
    case "smoke":
      draft.smokes.push(entry);
      return;
    case "closing":
    case "procedure":
    case "question":
      return;
    default:
      assertNever(entry);
  }
}

/** A gate may take less than what was proposed, or something else. Releases before did not write down what it is. */
function alter(draft: Draft, { commit, change }: Of<"approval">): void {
  if (commit === undefined) return;
  draft.commit = commit;
  draft.title = change?.title ?? `altered at its gate, proposed as ${draft.proposedAs}`;
  if (change !== undefined) draft.factor = change.factor;
}
