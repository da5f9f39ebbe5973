import { GitError } from "./gitProcess/gitError.ts";
import { readRef } from "./refs.ts";
import type { Repository } from "./repository.ts";
import { changeNotice, type LedgerChange } from "./trust/notices.ts";
import { keepSeen, seenLedger, type SeenLedger } from "./trust/seenLedgers.ts";

/** What a reader found: the ledger's newest commit, and how many entries that makes. */
export interface Sight {
  readonly ref: string;
  readonly head: string | undefined;
  readonly entries: number;
}

/**
 * Holds the ledger against what this user's engines last saw of it, and says what happened where it does not go on from
 * there. What was seen stays until the ledger has it again, or its user accepts it as it is.
 */
export async function watchLedger(repository: Repository, sight: Sight): Promise<string | undefined> {
  const { ref, head, entries } = sight;
  const seen = seenLedger(repository.commonDir);
  if (seen === undefined) {
    if (head !== undefined) await keepSeen(await sightOf(repository, head, entries));
    return undefined;
  }
  if (seen.head === head) return undefined;
  if (head !== undefined && (await goesOn(repository, seen.head, head))) {
    await keepSeen({ ...seen, head, entries, at: new Date().toISOString() });
    return undefined;
  }
  // Another process may have moved it on since this one read it.
  if ((await readRef(repository, ref)) !== head) return undefined;
  if ((await rootOf(repository)) !== seen.root) {
    if (head !== undefined) await keepSeen(await sightOf(repository, head, entries));
    return undefined;
  }
  return changeNotice(await changeOf(repository, seen.head, head), seen, entries);
}

/** Notes that this engine moved the ledger on, so that nobody can take that off again unseen. */
export async function noteAppended(
  repository: Repository,
  {
    before,
    after,
    added,
  }: { readonly before: string | undefined; readonly after: string; readonly added: number },
): Promise<void> {
  const seen = seenLedger(repository.commonDir);
  if (seen === undefined) {
    if (before === undefined) await keepSeen(await sightOf(repository, after, added));
    return;
  }
  const isNext =
    before !== undefined && (seen.head === before || (await goesOn(repository, seen.head, before)));
  if (!isNext) return;
  await keepSeen({ ...seen, head: after, entries: seen.entries + added, at: new Date().toISOString() });
}

/** Takes the ledger as it is from now on. */
export async function acceptLedger(
  repository: Repository,
  {
    head,
    entries,
    quarantined,
  }: { readonly head: string; readonly entries: number; readonly quarantined: number },
): Promise<void> {
  await keepSeen({ ...(await sightOf(repository, head, entries)), accepted: quarantined });
}

/** How many entries that cannot be used were accepted. */
export const acceptedOf = ({ commonDir }: Repository): number => seenLedger(commonDir)?.accepted ?? 0;

const sightOf = async (repository: Repository, head: string, entries: number): Promise<SeenLedger> => ({
  ...{ repository: repository.commonDir, root: await rootOf(repository), head, entries },
  ...{ at: new Date().toISOString(), accepted: 0 },
});

async function changeOf({ git }: Repository, seen: string, head: string | undefined): Promise<LedgerChange> {
  if (head === undefined) return { type: "gone" };
  try {
    const commits = Number(await git.text(["rev-list", "--count", seen, `^${head}`]));
    const since = Number(await git.text(["rev-list", "--count", head, `^${seen}`]));
    if (commits === 0) return { type: "merged" };
    return since === 0 ? { type: "rewound", commits } : { type: "rewritten", commits };
  } catch (e) {
    if (e instanceof GitError) return { type: "rewritten", commits: null };
    throw e;
  }
}

/**
 * Whether the ledger at one commit holds what it held at an earlier one. A merge may have its commits and not what they said:
 * one that begins with another first commit puts other entries before them, and one of an old state takes them out.
 */
async function goesOn({ git }: Repository, earlier: string, later: string): Promise<boolean> {
  try {
    if ((await git.answer(["merge-base", "--is-ancestor", earlier, later])) === undefined) return false;
    const parents = await git.text(["log", "--first-parent", "--format=%P", `${earlier}..${later}`]);
    if (parents.split("\n").at(-1)?.split(" ")[0] === earlier) return true;
    const roots = await Promise.all([earlier, later].map((commit) => firstOf(git, commit)));
    if (roots[0] !== roots[1]) return false;
    const gone = ["diff-tree", "-r", "--no-renames", "--name-only", "--diff-filter=D", earlier, later];
    return (await git.text(gone)) === "";
  } catch (e) {
    // Git no longer has the commit.
    if (e instanceof GitError) return false;
    throw e;
  }
}

/** Where the ledger begins that is read at a commit. */
const firstOf = (git: Repository["git"], commit: string): Promise<string> =>
  git.text(["rev-list", "--first-parent", "--max-parents=0", commit]);

/** The first commit of the user's branch, which tells one repository from another in the same place. */
async function rootOf({ git }: Repository): Promise<string> {
  const roots = await git.text(["rev-list", "--max-parents=0", "HEAD", "--"]);
  return roots.split("\n").sort()[0] ?? "";
}
