import { isDeepStrictEqual } from "node:util";
import type { LedgerEntry } from "../../../shared/ledger/ledger.ts";
import { compareEntries, entryAt, entryLimitBytes, isEntryPath } from "./entryContent.ts";
import { GitError, type Git } from "./git.ts";
import type { LedgerChange, LedgerCommit } from "./ledgerCommits.ts";
import type { Quarantined } from "./ledgerContent.ts";
import { commitsOfEntries, readGrowths, readTip, type Growths, type PlacedEntry } from "./ledgerTip.ts";
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
  // What git finds out and what is parsed here goes on side by side; neither is left running when this returns.
  const [growths, tip] = await Promise.all([growthsOrNone(git, commits), placeTip(git, head)]);
  if (growths === undefined || tip === undefined) return undefined;
  const found = await commitsOfEntries(git, growths, tip.placed);
  if (found === undefined) return undefined;
  const perCommit = new Map<number, LedgerEntry[]>();
  for (const [i, { entry }] of tip.placed.entries())
    if (entry !== undefined) addTo(perCommit, found[i] ?? -1, entry);
  return { entries: inOrder(perCommit), quarantined: tip.quarantined };
}

/** Undefined for a history that is not a ledger's: the whole walk says what is wrong with it. */
async function growthsOrNone(git: Git, commits: readonly LedgerCommit[]): Promise<Growths | undefined> {
  try {
    return await readGrowths(git, commits);
  } catch (e: unknown) {
    if (e instanceof GitError) return undefined;
    throw e;
  }
}

/** The entries of the newest commit's files; undefined where one of these files is not an entry's. */
async function placeTip(
  git: Git,
  head: string,
): Promise<{ placed: PlacedEntry[]; quarantined: Quarantined[] } | undefined> {
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
  return { placed, quarantined };
}

function addTo(perCommit: Map<number, LedgerEntry[]>, commit: number, entry: LedgerEntry): void {
  const list = perCommit.get(commit);
  if (list === undefined) perCommit.set(commit, [entry]);
  else list.push(entry);
}

const inOrder = (perCommit: ReadonlyMap<number, LedgerEntry[]>): LedgerEntry[] =>
  [...perCommit.entries()].sort(([a], [b]) => a - b).flatMap(([, list]) => list.sort(compareEntries));
