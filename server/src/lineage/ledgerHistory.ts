import type { Git } from "./gitProcess/commands.ts";
import {
  readChanges,
  readCommits,
  type LedgerChange,
  type LedgerCommit,
  type OnceLong,
} from "./ledgerCommits.ts";

export interface LedgerHistory {
  readonly commits: readonly LedgerCommit[];
  /** Whether the walk ended right on `since`, so that the changes continue what was read up to there. */
  readonly continues: boolean;
}

/**
 * The commits of the ledger, oldest first, along first parents: a merge shows everything that came with it. With `since`,
 * only what came after that commit.
 */
export async function readLedgerHistory(
  git: Git,
  head: string,
  { since, onceLong }: { readonly since?: string | undefined; readonly onceLong?: OnceLong } = {},
): Promise<LedgerHistory> {
  const commits = await readCommits(git, head, { since, ...(onceLong && { onceLong }) });
  // Nothing comes after `since` in a branch that was taken back behind it, either.
  const continues =
    since === undefined || (commits.length === 0 ? head === since : commits[0]?.parents[0] === since);
  return continues ? { commits, continues } : { commits: [], continues };
}

/** What each commit did to the files of the ledger, exactly: git compares two whole trees for each of them. */
export function walkHistory(git: Git, commits: readonly LedgerCommit[]): Promise<LedgerChange[]> {
  return commits.length === 0 ? Promise.resolve([]) : readChanges(git, commits, { recursive: true });
}
