import { isDeepStrictEqual } from "node:util";
import type { LedgerEntry } from "../../../shared/ledger/ledger.ts";
import { compareEntries, entryAt, entryLimitBytes, isEntryPath } from "./entryContent.ts";
import { GitError } from "./git.ts";
import type { LedgerChange, LedgerCommit } from "./ledgerCommits.ts";
import type { Quarantined } from "./ledgerContent.ts";
import { commitsOfEntries, readGrowths, readTip, type PlacedEntry } from "./ledgerTip.ts";
import { readObjects } from "./objects.ts";
import type { Repository } from "./repository.ts";

export interface ReadEntries {
  /** In the order of the ledger's commits; within one commit as `compareEntries` has it. */
  readonly entries: readonly LedgerEntry[];
  readonly quarantined: readonly Quarantined[];
}

/** What changes of the ledger's files say. The first content that an id ever had is the entry; later changes and deletions by hand are set aside. */
export async function readEntries(
  repository: Repository,
  changes: readonly LedgerChange[],
  before: readonly LedgerEntry[],
): Promise<ReadEntries> {
  const seen = new Map(before.map((entry) => [entry.id, entry]));
  const quarantined: Quarantined[] = [];
  const perCommit = new Map<number, LedgerEntry[]>();
  const readable: LedgerChange[] = [];
  for (const change of changes) {
    if (change.status === "D")
      quarantined.push({ path: change.path, reason: "deleted by hand; the ledger still counts it" });
    else if (!isEntryPath(change.path))
      quarantined.push({ path: change.path, reason: "not the path of a ledger entry" });
    else readable.push(change);
  }
  await readObjects(
    repository.git,
    readable.map((change) => change.oid),
    entryLimitBytes,
    (object, index) => {
      const change = readable[index];
      if (change === undefined) return;
      const { path, commit } = change;
      const parsed = entryAt(path, object);
      if (parsed.type === "bad") {
        quarantined.push({ path, reason: parsed.reason });
        return;
      }
      const { entry } = parsed;
      const first = seen.get(entry.id);
      if (first === undefined) {
        seen.set(entry.id, entry);
        addTo(perCommit, commit, entry);
      } else if (!isDeepStrictEqual(first, entry))
        quarantined.push({ path, reason: "changed after it was written; the first content counts" });
    },
  );
  return { entries: inOrder(perCommit), quarantined };
}

/**
 * All entries of a long ledger from the files of its newest commit, without comparing the files of each commit with those
 * before; undefined where these files do not tell what the history did.
 */
export async function readNewest(
  repository: Repository,
  head: string,
  commits: readonly LedgerCommit[],
): Promise<ReadEntries | undefined> {
  const { git } = repository;
  // What git finds out and what is parsed here goes on side by side.
  const growing = readGrowths(git, commits).catch((e: unknown) => {
    // A history that is no ledger's: the whole walk says what is wrong with it.
    if (e instanceof GitError) return undefined;
    throw e;
  });
  const files = await readTip(git, head);
  if (files === undefined || !files.every(({ path }) => isEntryPath(path))) return undefined;
  const placed: PlacedEntry[] = [];
  const quarantined: Quarantined[] = [];
  await readObjects(
    git,
    files.map(({ oid }) => oid),
    entryLimitBytes,
    (object, index) => {
      const file = files[index];
      if (file === undefined) return;
      const parsed = entryAt(file.path, object);
      if (parsed.type === "bad") {
        quarantined.push({ path: file.path, reason: parsed.reason });
        placed.push({ file, entry: undefined, second: NaN });
        return;
      }
      const { entry } = parsed;
      placed.push({ file, entry, second: Math.floor(Date.parse(entry.at) / 1000) });
    },
  );
  const growths = await growing;
  const found = growths && (await commitsOfEntries(git, growths, placed));
  if (found === undefined) return undefined;
  const perCommit = new Map<number, LedgerEntry[]>();
  for (const [i, { entry }] of placed.entries())
    if (entry !== undefined) addTo(perCommit, found[i] ?? -1, entry);
  return { entries: inOrder(perCommit), quarantined };
}

function addTo(perCommit: Map<number, LedgerEntry[]>, commit: number, entry: LedgerEntry): void {
  const list = perCommit.get(commit);
  if (list === undefined) perCommit.set(commit, [entry]);
  else list.push(entry);
}

const inOrder = (perCommit: ReadonlyMap<number, LedgerEntry[]>): LedgerEntry[] =>
  [...perCommit.entries()].sort(([a], [b]) => a - b).flatMap(([, list]) => list.sort(compareEntries));
