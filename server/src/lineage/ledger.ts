import type { LedgerEntry } from "../../../shared/ledger/ledger.ts";
import { HarnessError } from "../base/errors.ts";
import { entryLimitBytes } from "./entries/entryBlocks.ts";
import { entryAt } from "./entryContent.ts";
import { emptyLog } from "./entries/entryLog.ts";
import { GitError } from "./gitProcess/gitError.ts";
import type { LedgerContent } from "./entries/ledgerContent.ts";
import { readMergedSides } from "./mergedLedgers.ts";
import { readLedgerCache, writeLedgerCache } from "./ledgerCache.ts";
import { readLedgerHistory, walkHistory } from "./ledgerHistory.ts";
import { ledgerPath } from "./entries/ledgerPath.ts";
import { readObjects } from "./objects.ts";
import { readEntries, readNewest, readNewestFiles, readWritten, type NewestFiles } from "./readEntries.ts";
import { readRef } from "./refs.ts";
import type { Repository } from "./repository.ts";
import { firstSigned, idsOf, versionIds } from "./trust/signedEntry.ts";
import { quarantineNotice, remoteNotice, secondLedger, tellLater } from "./trust/notices.ts";
import { acceptedOf, watchLedger } from "./watchLedger.ts";
import { appendEntries, type Appended, type AppendOptions } from "./appendEntries.ts";

export const ledgerRef = "refs/heads/evotrainer/ledger";

/** The append-only record on the branch `evotrainer/ledger`. */
export interface Ledger {
  /**
   * Adds entries in one commit, signed by this user's engine. An id that is there with equal content is passed over.
   * @throws HarnessError ledgerInvalid for an entry that breaks the schema or an id that is there with another content,
   * badInput where there can be no key to sign with
   */
  append(entries: readonly LedgerEntry[], how?: AppendOptions): Promise<void>;
  /** All entries; after the first call only what is new is read. Never throws for malformed content. */
  read(): Promise<LedgerContent>;
}

/** So much more than was kept, and what was read is kept again. */
const worthKeeping = { commits: 1000, entries: 20_000 };

type Content = Omit<LedgerContent, "notices" | "isBroken">;
const nothing: Content = { entries: emptyLog, quarantined: [], head: undefined };

/**
 * The ledger of a repository; it is created by the first append. `isFresh`: all of it is read from git's own objects, and
 * from nothing that an earlier reader kept beside them.
 */
export function openLedger(repository: Repository, { isFresh = false } = {}): Ledger {
  let known = nothing;
  let told: LedgerContent | undefined;
  /** What was appended here since the last reading. */
  let appended: Appended[] = [];
  const refresh = async (): Promise<LedgerContent> => {
    // Before the branch is looked at: what is appended from here on comes after what it says.
    for (const one of appended) if (one.before === known.head) known = grown(known, one);
    appended = [];
    const head = await readRef(repository, ledgerRef);
    if (told !== undefined && head === told.head && told.notices.length === 0) return told;
    known = head === undefined ? nothing : await contentAt(repository, { head, known, isFresh });
    const found = await noticesOf(repository, known);
    tellLater(repository.commonDir, found.notices);
    return (told = { ...known, ...found });
  };
  // One after the other: what the first has read the second need not.
  let reading: Promise<unknown> = Promise.resolve();
  const read = (): Promise<LedgerContent> => {
    const next = reading.then(refresh, refresh);
    reading = next;
    return next;
  };
  const append: Ledger["append"] = async (entries, how) => {
    const one = await appendEntries(repository, ledgerRef, entries, how);
    // What does not go on from what is known here, git is asked for.
    if (one !== undefined && one.before === (appended.at(-1)?.after ?? known.head)) appended.push(one);
  };
  return { append, read };
}

/** The ledger after a commit of one's own, without asking git for what it was just given. */
function grown(known: Content, { after, files }: Appended): Content {
  const added = readWritten(files, known.entries);
  return {
    entries: known.entries.with(added.entries),
    quarantined: [...known.quarantined, ...added.quarantined],
    head: after,
  };
}

async function noticesOf(
  repository: Repository,
  { head, entries, quarantined }: Content,
): Promise<Pick<LedgerContent, "notices" | "isBroken">> {
  const change = await watchLedger(repository, { ref: ledgerRef, head, entries: entries.length });
  const elsewhere = head === undefined && change === undefined ? await fetchedLedgers(repository) : [];
  const notices = [change, quarantineNotice(quarantined, acceptedOf(repository)), remoteNotice(elsewhere)];
  return { notices: notices.flatMap((notice) => notice ?? []), isBroken: change !== undefined };
}

/** Remotes whose ledger this clone has fetched: git makes no branch of it by itself. */
async function fetchedLedgers({ git }: Repository): Promise<string[]> {
  const found = await git.text([
    "for-each-ref",
    "--format=%(refname:short)",
    "refs/remotes/*/evotrainer/ledger",
  ]);
  return found.split("\n").filter((name) => name !== "");
}

/**
 * Refuses to begin a ledger in a clone that has fetched one and makes no use of it: nobody would see what was tried before.
 * @throws HarnessError notFound
 */
export async function refuseSecondLedger(repository: Repository): Promise<void> {
  if ((await readRef(repository, ledgerRef)) !== undefined) return;
  const text = secondLedger(await fetchedLedgers(repository));
  if (text !== undefined) throw new HarnessError("notFound", text);
}

/** The ledger at a commit, of which only what is new is read. */
async function contentAt(
  repository: Repository,
  { head, known, isFresh }: { readonly head: string; readonly known: Content; readonly isFresh: boolean },
): Promise<Content> {
  if (head === known.head) return known;
  // What an earlier reader kept of a long ledger, or nothing.
  const kept = known.head === undefined && !isFresh ? await readLedgerCache(repository) : undefined;
  const from = known.head === undefined ? (kept ?? nothing) : known;
  if (head === from.head) return from;
  const { git } = repository;
  let files: NewestFiles | undefined;
  const onceLong = {
    commits: worthKeeping.commits,
    begin: () => {
      files = readNewestFiles(repository, head);
    },
  };
  const whole = from.head === undefined;
  const more = await readLedgerHistory(git, head, whole ? { onceLong } : { since: from.head }).catch(
    (e: unknown) => {
      // The commit we knew is gone (somebody replaced the branch and pruned): read everything.
      if (e instanceof GitError && !whole) return { commits: [], continues: false };
      throw e;
    },
  );
  const history = more.continues ? more : await readLedgerHistory(git, head, { onceLong });
  const base = more.continues ? from : nothing;
  const { commits } = history;
  const merged = await readMergedSides(repository, commits);
  // The files of the newest commit say the most of a long history; of what they do not, each commit is looked at.
  const newest =
    base.entries.length === 0 && commits.length >= worthKeeping.commits && merged.size === 0
      ? await readNewest(repository, head, commits, files)
      : undefined;
  const added =
    newest ?? (await readEntries(repository, await walkHistory(git, commits), base.entries, merged));
  const content = {
    entries: base.entries.with(added.entries),
    quarantined: [...base.quarantined, ...added.quarantined],
    head,
  };
  if (
    commits.length >= worthKeeping.commits ||
    content.entries.length - base.entries.length >= worthKeeping.entries
  )
    await writeLedgerCache(repository, content);
  return content;
}

/**
 * One entry of the ledger that a trusted key signed for what its version is here, by its id and without reading the others;
 * undefined without one.
 */
export async function readSignedEntry(repository: Repository, id: string): Promise<LedgerEntry | undefined> {
  const found = await entriesUnder(repository, idsOf(id));
  const versions = new Set([...found.values()].flatMap(({ version }) => versionIds(version)));
  const held = await entriesUnder(repository, [...versions]);
  return firstSigned([...found.values()], (at) => held.get(at));
}

/** The entries that the ledger has under some ids, in their order. */
export async function entriesUnder(
  repository: Repository,
  ids: readonly string[],
): Promise<ReadonlyMap<string, LedgerEntry>> {
  const found = new Map<string, LedgerEntry>();
  if (ids.length === 0) return found;
  const names = ids.map((id) => `${ledgerRef}:${ledgerPath(id)}`);
  await readObjects(repository.git, names, entryLimitBytes, (object, index) => {
    const id = ids[index] ?? "";
    const parsed = entryAt(ledgerPath(id), object);
    if (parsed.type === "entry") found.set(id, parsed.entry);
  });
  return found;
}
