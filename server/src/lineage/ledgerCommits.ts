import type { Git } from "./gitProcess/commands.ts";
import { readLines } from "./lines.ts";

/** A commit of the ledger, along first parents. */
export interface LedgerCommit {
  readonly hash: string;
  readonly parents: readonly string[];
  /** Seconds since 1970. */
  readonly authored: number;
  readonly committed: number;
}

/** One file or folder that a commit added, changed or deleted, seen from the commit's first parent. */
export interface LedgerChange {
  readonly commit: number;
  readonly status: string;
  readonly oid: string;
  readonly path: string;
}

/** What can begin as soon as there are known to be so many commits: git lists the newest first, and takes its time. */
export interface OnceLong {
  readonly commits: number;
  readonly begin: () => void;
}

/** The commits that lead to `head`, oldest first; with `since`, only those that came after it. */
export async function readCommits(
  git: Git,
  head: string,
  { since, onceLong }: { readonly since?: string | undefined; readonly onceLong?: OnceLong } = {},
): Promise<LedgerCommit[]> {
  const commits: LedgerCommit[] = [];
  await readLines(
    git,
    [
      "rev-list",
      "--first-parent",
      "--format=%at %ct %H %P",
      head,
      ...(since === undefined ? [] : [`^${since}`]),
    ],
    (bytes, from, to) => {
      const line = bytes.toString("latin1", from, to);
      if (line === "" || line.startsWith("commit ")) return;
      const [authored, committed, hash = "", ...parents] = line.trimEnd().split(" ");
      commits.push({ hash, parents, authored: Number(authored), committed: Number(committed) });
      if (commits.length === onceLong?.commits) onceLong.begin();
    },
  );
  return commits.reverse();
}

/**
 * What commits changed against their first parents, whatever the user has configured; `commit` is the place in the list.
 * Without `recursive` only the root folder is looked at.
 */
export async function readChanges(
  git: Git,
  commits: readonly LedgerCommit[],
  { recursive }: { readonly recursive: boolean },
): Promise<LedgerChange[]> {
  // A line "commit parent" makes diff-tree compare with that parent only.
  const input = commits.map(({ hash, parents }) => `${[hash, ...parents.slice(0, 1)].join(" ")}\n`).join("");
  const depth = recursive ? ["-r"] : [];
  const raw = await git.text(
    ["diff-tree", "--stdin", "--root", ...depth, "-z", "--raw", "--no-abbrev", "--no-renames"],
    { input },
  );
  const changes: LedgerChange[] = [];
  let commit = -1;
  let next = 0;
  const fields = raw.split("\0");
  for (let i = 0; i < fields.length; i++) {
    const field = fields[i] ?? "";
    if (!field.startsWith(":")) {
      // Commits that changed nothing are not named.
      if (field !== "") {
        while (next < commits.length && commits[next]?.hash !== field) next++;
        commit = next;
      }
      continue;
    }
    const [, , , oid = "", status = ""] = field.split(" ");
    i++;
    changes.push({ commit, status: status.charAt(0), oid, path: fields[i] ?? "" });
  }
  return changes;
}
