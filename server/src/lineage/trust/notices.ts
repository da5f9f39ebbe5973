import { counted } from "../../../../shared/words/numbers.ts";
import type { Quarantined } from "../entries/ledgerContent.ts";
import type { SeenLedger } from "./seenLedgers.ts";

/** How the ledger stands to what was last seen of it. */
export type LedgerChange =
  | { readonly type: "gone" }
  /** Its last commits were taken off. */
  | { readonly type: "rewound"; readonly commits: number }
  /** Its commits are there, and a merge has put others before them or taken out what they said. */
  | { readonly type: "merged" }
  /** Commits that were there are not in it any more, and others are. */
  | { readonly type: "rewritten"; readonly commits: number | null };

const branch = "refs/heads/evotrainer/ledger";
const asItIs = "to go on with the ledger as it is, run `evotrainer lineage accept`";

/** What happened to the ledger behind the engines' backs, and what to do, in a few sentences. */
export function changeNotice(change: LedgerChange, { head, at, entries }: SeenLedger, now: number): string {
  const then = `when EvoTrainer last saw it (${at}) it had ${counted(entries, "entry", "entries")}`;
  const back = `To get it back, run \`git update-ref ${branch} ${head}\`; ${asItIs}.`;
  switch (change.type) {
    case "gone":
      return `The ledger of this repository is gone: ${then}. ${back}`;
    case "rewound":
      return `Somebody took the last ${counted(change.commits, "commit")} off the ledger: ${then}, and now it has ${now}. ${back}`;
    case "merged":
      return `A merge changed the ledger: ${then}. The merge put entries before them or took some out, and EvoTrainer now reads the changed ledger. \`git log --first-parent evotrainer/ledger\` shows it. ${back}`;
    case "rewritten":
      return change.commits === null
        ? `The ledger was replaced: ${then}, and git no longer has that state. Fetch evotrainer/ledger from a clone that has commit ${head.slice(0, 12)}; ${asItIs}.`
        : `The ledger was rewritten: ${then}, and ${counted(change.commits, "commit")} that it had then ${change.commits === 1 ? "is" : "are"} missing now. \`git log evotrainer/ledger..${head.slice(0, 12)}\` shows what is missing. ${back}`;
  }
}

/** What is in the ledger's branch and was set aside, beyond what was accepted; undefined where nothing is. */
export function quarantineNotice(quarantined: readonly Quarantined[], accepted: number): string | undefined {
  const fresh = quarantined.slice(accepted);
  if (fresh.length === 0) return undefined;
  const shown = fresh.slice(0, 3).map(({ path, reason }) => `${path}: ${reason}`);
  const more = fresh.length > shown.length ? ` and ${fresh.length - shown.length} more` : "";
  return `Somebody changed the ledger by hand, or merged two: ${shown.join("; ")}${more}. \`git log evotrainer/ledger -- <path>\` shows who; if that is in order, run \`evotrainer lineage accept\`.`;
}

/** That a clone has fetched the ledger of others, of which it makes no use yet; undefined where it has not. */
export function remoteNotice(fetched: readonly string[]): string | undefined {
  const use = useOf(fetched);
  return use && `${use.fact} To see its versions here, run \`${use.command}\`.`;
}

/** Why no evolution begins in such a clone unless it is asked to; undefined where no ledger was fetched. */
export function secondLedger(fetched: readonly string[]): string | undefined {
  const use = useOf(fetched);
  return (
    use &&
    `Nothing was trained: ${use.fact.replace("This", "this")} To begin an evolution beside its versions, run \`${use.command}\` first; to begin a ledger without them, run \`evotrainer evolve --restart\`.`
  );
}

function useOf([first, ...others]: readonly string[]):
  | { readonly fact: string; readonly command: string }
  | undefined {
  if (first === undefined) return undefined;
  const beside = others.length === 0 ? "" : ` (there are ${others.join(" and ")} too)`;
  return {
    fact: `This clone has no ledger, but it has fetched ${first}${beside}.`,
    command: `git branch --no-track evotrainer/ledger ${first}`,
  };
}

const told = new Map<string, readonly string[]>();

/** Keeps what the last look at a ledger has to say, for whoever ends this process's work with a word to its user. */
export function tellLater(repository: string, notices: readonly string[]): void {
  told.set(repository, notices);
}

/** What the ledgers that were read since the last time have to say to the user: each is told once. */
export function takeNotices(): string[] {
  const notices = [...new Set([...told.values()].flat())];
  told.clear();
  return notices;
}
