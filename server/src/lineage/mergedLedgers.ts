import { isDeepStrictEqual } from "node:util";
import type { LedgerEntry } from "../../../shared/ledger/ledger.ts";
import { entryLimitBytes } from "./entries/entryBlocks.ts";
import type { Quarantined } from "./entries/ledgerContent.ts";
import { entryAt, isEntryPath } from "./entryContent.ts";
import type { LedgerCommit } from "./ledgerCommits.ts";
import { readObjects } from "./objects.ts";
import type { Repository } from "./repository.ts";
import { unsigned } from "./trust/signature.ts";

/** What a merge brought from another clone whose entries have the ids of other entries here. */
export interface MergedSide {
  /** The entries that the other clone wrote under ids that are taken, as they are told here. */
  readonly theirs: readonly LedgerEntry[];
  /** An entry that came with the merge, by the names that versions have here. */
  readonly renamed: (entry: LedgerEntry) => LedgerEntry;
  /** Whether the file's content is already told, under another name. */
  readonly isTold: (path: string, entry: LedgerEntry) => boolean;
  /** What there is to say of it. */
  readonly set: readonly Quarantined[];
}

interface Conflict {
  readonly path: string;
  readonly ours: LedgerEntry;
  readonly theirs: LedgerEntry;
}

/**
 * What the merges among some commits brought that contradicts what was there: by the place of the merge. Both versions of a
 * name are kept: the one along first parents keeps the name, and the other is called after its commit, with all that its
 * clone wrote of it.
 */
export async function readMergedSides(
  repository: Repository,
  commits: readonly LedgerCommit[],
): Promise<ReadonlyMap<number, MergedSide>> {
  const sides = new Map<number, MergedSide>();
  for (const [place, { parents }] of commits.entries()) {
    const [ours, ...others] = parents;
    const conflicts: Conflict[] = [];
    for (const theirs of others) conflicts.push(...(await conflictsOf(repository, ours ?? "", theirs)));
    if (conflicts.length > 0) sides.set(place, sideOf(conflicts));
  }
  return sides;
}

/** The entries that two commits of the ledger hold under one path, and that say different things. */
async function conflictsOf(repository: Repository, ours: string, theirs: string): Promise<Conflict[]> {
  const listed = await repository.git.text([
    ...["diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--no-renames", "--diff-filter=M"],
    ...[ours, theirs],
  ]);
  const fields = listed.split("\0").filter((field) => field !== "");
  const paths: string[] = [];
  const oids: string[] = [];
  for (let i = 0; i + 1 < fields.length; i += 2) {
    const [, , before = "", after = ""] = (fields[i] ?? "").split(" ");
    const path = fields[i + 1] ?? "";
    if (!isEntryPath(path)) continue;
    paths.push(path);
    oids.push(before, after);
  }
  const read = new Map<number, LedgerEntry>();
  await readObjects(repository.git, oids, entryLimitBytes, (object, i) => {
    const parsed = entryAt(paths[i >> 1] ?? "", object);
    if (parsed.type === "entry") read.set(i, parsed.entry);
  });
  return paths.flatMap((path, i) => {
    const [a, b] = [read.get(2 * i), read.get(2 * i + 1)];
    if (a === undefined || b === undefined || isDeepStrictEqual(unsigned(a), unsigned(b))) return [];
    return [{ path, ours: a, theirs: b }];
  });
}

const keyOf = (domain: string, name: string): string => `${domain} ${name}`;

function sideOf(conflicts: readonly Conflict[]): MergedSide {
  const names = new Map<string, string>();
  for (const { ours, theirs } of conflicts)
    if (ours.type === "version" && theirs.type === "version" && ours.commit !== theirs.commit)
      names.set(keyOf(theirs.domain, theirs.version), nameOf(theirs.version, theirs.commit));
  const renamed = (entry: LedgerEntry): LedgerEntry => withNames(entry, names);
  const theirs: LedgerEntry[] = [];
  const set: Quarantined[] = [];
  for (const { path, theirs: entry } of conflicts) {
    const name = names.get(keyOf(entry.domain, entry.version));
    if (name === undefined)
      set.push({ path, reason: "two clones wrote it differently; the one that was here first counts" });
    else {
      theirs.push({ ...renamed(entry), id: idOf(entry.id, entry.version, name) });
      if (entry.type === "version")
        set.push({
          path,
          reason: `two clones made a version ${entry.version}; the other one is shown as ${name}, with all that was written of it`,
        });
    }
  }
  const told = new Map(conflicts.map(({ path, theirs: entry }) => [path, entry]));
  return { theirs, renamed, set, isTold: (path, entry) => isDeepStrictEqual(told.get(path), entry) };
}

/** v5-linear and the commit 3f9c2a1… give v5-linear-3f9c2a1, in the length that names may have. */
function nameOf(version: string, commit: string): string {
  return `${version.slice(0, 64 - 8)}-${commit.slice(0, 7)}`;
}

const idOf = (id: string, version: string, name: string): string => {
  const fresh = id.replace(version, name);
  return (fresh === id ? `${id}:${name.slice(-7)}` : fresh).slice(0, 200);
};

function withNames(entry: LedgerEntry, names: ReadonlyMap<string, string>): LedgerEntry {
  const version = names.get(keyOf(entry.domain, entry.version));
  if (entry.type === "version") {
    const other = (name: string): string => names.get(keyOf(entry.domain, name)) ?? name;
    const { merges, without, joins } = entry;
    const named = {
      version: other(entry.version),
      parent: entry.parent === null ? null : other(entry.parent),
      ...(merges === undefined ? {} : { merges: other(merges) }),
      ...(without === undefined ? {} : { without: other(without) }),
      ...(joins === undefined ? {} : { joins: other(joins) }),
    };
    const renamed = { ...entry, ...named };
    if (isDeepStrictEqual(renamed, entry)) return entry;
    return { ...renamed, was: { id: entry.id, version: entry.version, parent: entry.parent } };
  }
  return version === undefined ? entry : { ...entry, version, was: { id: entry.id, version: entry.version } };
}
