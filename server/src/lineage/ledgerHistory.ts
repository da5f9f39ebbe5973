import type { Git } from "./git.ts";

/** One file that a commit of the ledger added, changed or deleted, seen from the commit's first parent. */
export interface LedgerChange {
  readonly commit: number;
  readonly status: string;
  readonly oid: string;
  readonly path: string;
}

export interface LedgerHistory {
  readonly changes: readonly LedgerChange[];
  readonly commits: number;
  /** Whether the walk ended right on `since`, so that the changes continue what was read up to there. */
  readonly continues: boolean;
}

/**
 * What the commits of the ledger did, oldest first, along first parents: a merge shows everything that came with it.
 * With `since`, only what came after that commit.
 */
export async function readLedgerHistory(git: Git, head: string, since?: string): Promise<LedgerHistory> {
  const listed = await git.text([
    "rev-list",
    "--first-parent",
    "--reverse",
    "--parents",
    head,
    ...(since === undefined ? [] : [`^${since}`]),
  ]);
  const commits = listed.split("\n").filter((line) => line !== "");
  const oldestParent = commits[0]?.split(" ")[1];
  if (since !== undefined && commits.length > 0 && oldestParent !== since)
    return { changes: [], commits: 0, continues: false };
  if (commits.length === 0) return { changes: [], commits: 0, continues: true };
  // A line "commit parent" makes diff-tree compare with that parent only, whatever the user has configured.
  const input = commits.map((line) => line.split(" ").slice(0, 2).join(" ")).join("\n");
  const raw = await git.text(
    ["diff-tree", "--stdin", "--root", "-r", "-z", "--raw", "--no-abbrev", "--no-renames"],
    {
      input: `${input}\n`,
    },
  );
  const changes: LedgerChange[] = [];
  let commit = -1;
  const fields = raw.split("\0");
  for (let i = 0; i < fields.length; i++) {
    const field = fields[i] ?? "";
    if (!field.startsWith(":")) {
      if (field !== "") commit++;
      continue;
    }
    const [, , , oid = "", status = ""] = field.split(" ");
    i++;
    changes.push({ commit, status: status.charAt(0), oid, path: fields[i] ?? "" });
  }
  return { changes, commits: commits.length, continues: true };
}
