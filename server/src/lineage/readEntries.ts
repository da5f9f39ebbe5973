import { isDeepStrictEqual } from "node:util";
import type { LedgerEntry } from "../../../shared/ledger/ledger.ts";
import { entryLimitBytes } from "./entries/entryBlocks.ts";
import { EntryLogBuilder, typeOrder, type EntryLog } from "./entries/entryLog.ts";
import { compareEntries, entryAt, isEntryPath } from "./entryContent.ts";
import { GitError } from "./gitProcess/gitError.ts";
import type { Git } from "./gitProcess/commands.ts";
import type { LedgerChange, LedgerCommit } from "./ledgerCommits.ts";
import type { Quarantined } from "./entries/ledgerContent.ts";
import { commitsOfEntries, readGrowths, type Growths } from "./ledgerPlaces.ts";
import { readTip, type TipFiles } from "./ledgerTip.ts";
import type { MergedSide } from "./mergedLedgers.ts";
import { readNamed, readObjects } from "./objects.ts";
import type { Repository } from "./repository.ts";
import type { WrittenFile } from "./appendEntries.ts";

export interface ReadEntries {
  /** In the order of the ledger's commits; within one commit as `compareEntries` has it. */
  readonly entries: Iterable<LedgerEntry>;
  readonly quarantined: readonly Quarantined[];
}

const at = ({ path, commit }: LedgerChange) => ({ path, commit });

/** What changes of the ledger's files say. The first content that an id ever had is the entry; later changes and deletions by hand are set aside. */
export async function readEntries(
  repository: Repository,
  changes: readonly LedgerChange[],
  before: EntryLog,
  merged: ReadonlyMap<number, MergedSide> = new Map(),
): Promise<ReadEntries> {
  const setAside: SetAside[] = [];
  const readable: LedgerChange[] = [];
  for (const change of changes) {
    if (change.status === "D")
      setAside.push({ ...at(change), reason: "deleted by hand; the ledger still counts it" });
    else if (!isEntryPath(change.path))
      setAside.push({ ...at(change), reason: "not the path of a ledger entry" });
    else readable.push(change);
  }
  const read: (SetAside | FoundEntry)[] = [];
  await readObjects(
    repository.git,
    readable.map((change) => change.oid),
    entryLimitBytes,
    (object, index) => {
      const change = readable[index];
      if (change === undefined) return;
      const parsed = entryAt(change.path, object);
      const side = merged.get(change.commit);
      if (parsed.type === "bad") read.push({ ...at(change), reason: parsed.reason });
      // What a merge added was written in the other clone, and means the versions of that one.
      else if (change.status === "A" && side !== undefined)
        read.push({ change, entry: side.renamed(parsed.entry) });
      else if (side?.isTold(change.path, parsed.entry) !== true) read.push({ change, entry: parsed.entry });
    },
  );
  for (const [commit, { theirs, set }] of merged) {
    setAside.push(...set.map((one) => ({ ...one, commit })));
    for (const entry of theirs) read.push({ change: { commit, status: "A", oid: "", path: "" }, entry });
  }
  return settled(read, setAside, before);
}

type SetAside = Quarantined & { readonly commit: number };

/** An entry, and the change of the ledger's files that brought it. */
interface FoundEntry {
  readonly change: LedgerChange;
  readonly entry: LedgerEntry;
}

/** What one commit with these entries adds: as if it had been read from git. */
export function readWritten(written: readonly WrittenFile[], before: EntryLog): ReadEntries {
  const read = written.map(({ path, content }): SetAside | FoundEntry => {
    const change: LedgerChange = { commit: 0, status: "A", oid: "", path };
    const parsed = entryAt(path, { type: "found", oid: "", kind: "blob", content: Buffer.from(content) });
    return parsed.type === "bad" ? { ...at(change), reason: parsed.reason } : { change, entry: parsed.entry };
  });
  return settled(read, [], before);
}

/** Of what was read, the entries in the ledger's order, and what cannot count beside those before. */
function settled(
  read: readonly (SetAside | FoundEntry)[],
  setAside: SetAside[],
  before: EntryLog,
): ReadEntries {
  const seen = before.withIds(read.flatMap((one) => ("entry" in one ? [one.entry.id] : [])));
  const perCommit = new Map<number, LedgerEntry[]>();
  for (const one of read) {
    if (!("entry" in one)) {
      setAside.push(one);
      continue;
    }
    const { change, entry } = one;
    const first = seen.get(entry.id);
    if (first === undefined) {
      seen.set(entry.id, entry);
      addTo(perCommit, change.commit, entry);
    } else if (!isDeepStrictEqual(first, entry))
      setAside.push({
        ...at(change),
        reason: "changed after it was written; the first content counts",
      });
  }
  // In the order in which it came about, whoever reads: how much of it was accepted is counted from the first.
  const quarantined = setAside
    .sort((a, b) => a.commit - b.commit)
    .map(({ path, reason }) => ({ path, reason }));
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
  newest: NewestFiles = readNewestFiles(repository, head),
): Promise<{ readonly entries: EntryLog; readonly quarantined: readonly Quarantined[] } | undefined> {
  const { git } = repository;
  // What git finds out and what is parsed here goes on side by side; neither is left running when this returns.
  const [growths, tip] = await Promise.all([growthsOrNone(git, commits), newest.read]);
  if (growths === undefined || tip === undefined) return undefined;
  const found = await commitsOfEntries(git, growths, tip);
  if (found === undefined) return undefined;
  const order = orderOf(tip, found, commits.length);
  return { entries: tip.builder.build(order), quarantined: tip.quarantined };
}

/** What the newest commit's files say, while it is being read. */
export interface NewestFiles {
  readonly read: Promise<Tip | undefined>;
}

/** Begins to read the files of the ledger's newest commit; who awaits `read` hears of what went wrong. */
export function readNewestFiles(repository: Repository, head: string): NewestFiles {
  const read = parseTip(repository.git, head);
  // Listing the commits may fail first, and then nobody waits for this.
  read.catch(() => undefined);
  return { read };
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

/** The files of the newest commit, and their entries in the order in which they were read. */
export interface Tip {
  readonly files: TipFiles;
  readonly builder: EntryLogBuilder;
  readonly quarantined: readonly Quarantined[];
  /** Of each file the time of its entry, since 1970; NaN for a file that cannot be used. */
  readonly seconds: Float64Array;
  /** Of each entry its file, and what the order within a commit goes by. */
  readonly file: Int32Array;
  readonly milliseconds: Float64Array;
  readonly type: Uint8Array;
  readonly ids: readonly string[];
}

/** The entries of the newest commit's files; undefined where one of these files is not an entry's. */
async function parseTip(git: Git, head: string): Promise<Tip | undefined> {
  const files = await readTip(git, head);
  if (files === undefined) return undefined;
  const { count } = files;
  const builder = new EntryLogBuilder();
  const quarantined: Quarantined[] = [];
  const seconds = new Float64Array(count).fill(NaN);
  const [file, milliseconds, type] = [new Int32Array(count), new Float64Array(count), new Uint8Array(count)];
  const ids: string[] = [];
  await readNamed(git, files.oids, entryLimitBytes, (object, index) => {
    const path = files.path(index);
    const parsed = entryAt(path, object);
    if (parsed.type === "bad") {
      quarantined.push({ path, reason: parsed.reason });
      return;
    }
    const { entry } = parsed;
    const at = Date.parse(entry.at);
    const slot = ids.length;
    seconds[index] = Math.floor(at / 1000);
    file[slot] = index;
    milliseconds[slot] = at;
    type[slot] = typeOrder.indexOf(entry.type);
    ids.push(entry.id);
    builder.add(entry);
  });
  return { files, builder, quarantined, seconds, file, milliseconds, type, ids };
}

/** The numbers of the entries in the order of their commits, and within one commit as `compareEntries` has it. */
function orderOf({ file, milliseconds, type, ids }: Tip, commitOf: Int32Array, commits: number): Int32Array {
  const ends = new Int32Array(commits + 1);
  const commitAt = (slot: number): number => commitOf[file[slot] ?? -1] ?? 0;
  for (let slot = 0; slot < ids.length; slot++)
    ends[commitAt(slot) + 1] = (ends[commitAt(slot) + 1] ?? 0) + 1;
  for (let n = 0; n < commits; n++) ends[n + 1] = (ends[n + 1] ?? 0) + (ends[n] ?? 0);
  const order = new Int32Array(ids.length);
  const next = ends.slice();
  for (let slot = 0; slot < ids.length; slot++) {
    const commit = commitAt(slot);
    const place = next[commit] ?? 0;
    next[commit] = place + 1;
    order[place] = slot;
  }
  const compare = (a: number, b: number): number => {
    const [one, other] = [ids[a] ?? "", ids[b] ?? ""];
    return (
      (milliseconds[a] ?? 0) - (milliseconds[b] ?? 0) ||
      (type[a] ?? 0) - (type[b] ?? 0) ||
      (one < other ? -1 : one > other ? 1 : 0)
    );
  };
  for (let n = 0; n < commits; n++) order.subarray(ends[n], ends[n + 1]).sort(compare);
  return order;
}

function addTo(perCommit: Map<number, LedgerEntry[]>, commit: number, entry: LedgerEntry): void {
  const list = perCommit.get(commit);
  if (list === undefined) perCommit.set(commit, [entry]);
  else list.push(entry);
}

const inOrder = (perCommit: ReadonlyMap<number, LedgerEntry[]>): LedgerEntry[] =>
  [...perCommit.entries()].sort(([a], [b]) => a - b).flatMap(([, list]) => list.sort(compareEntries));
