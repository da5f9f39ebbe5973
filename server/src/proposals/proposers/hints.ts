import type { LedgerEntry } from "../../../../shared/ledger/ledger.ts";
import type { Lineage } from "../../lineage/graph.ts";
import type { VersionRecord } from "../../lineage/records/versionRecord.ts";
import { Ancestry } from "../standing/ancestry.ts";

/** What a person said that proposers should look at. */
export interface Hint {
  /** Of the note in the ledger. */
  readonly id: string;
  readonly version: string;
  readonly by: string;
  readonly at: string;
  readonly text: string;
}

/** A proposal whose proposer had been given a hint, and what became of it; null while it is not decided. */
export interface HintedProposal {
  readonly version: string;
  readonly decision: string | null;
}

const hintsOn = ({ notes }: VersionRecord): Hint[] =>
  notes
    .filter(({ what }) => what === "hint")
    .map(({ id, version, by, at, value }) => ({ id, version, by, at, text: value }));

/**
 * The hints for a question about a version: those on it and on what it comes from, the oldest first. What nobody trusted has
 * signed is none.
 */
export function hintsFor(lineage: Lineage, version: VersionRecord): Hint[] {
  const all = new Ancestry(lineage).of(version).flatMap(hintsOn);
  return all.sort((a, b) => (a.at < b.at ? -1 : 1));
}

/** Every hint of a lineage with the proposals that were made with it. */
export function hintsWithProposals(
  { versions }: Lineage,
  questions: readonly Extract<LedgerEntry, { type: "question" }>[],
): { readonly hint: Hint; readonly proposals: readonly HintedProposal[] }[] {
  return versions.flatMap(hintsOn).map((hint) => {
    const asked = questions.filter(({ hints }) => hints?.includes(hint.id));
    const proposals = versions.filter(
      (v) =>
        v.intervention !== null &&
        asked.some(
          (q) =>
            q.version === v.parent &&
            q.proposer === v.hypothesis?.proposer &&
            q.drafts.includes(v.intervention ?? ""),
        ),
    );
    return {
      hint,
      proposals: proposals.map((v) => ({ version: v.name, decision: v.decision?.decision ?? null })),
    };
  });
}
