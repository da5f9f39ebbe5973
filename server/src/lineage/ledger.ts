import { isDeepStrictEqual } from "node:util";
import { setTimeout as delay } from "node:timers/promises";
import type { LedgerEntry } from "../../../shared/ledger/ledger.ts";
import { HarnessError } from "../base/errors.ts";
import { entryLimitBytes } from "./entries/entryBlocks.ts";
import { parseContent, parseEntry } from "./entryContent.ts";
import { emptyLog } from "./entries/entryLog.ts";
import { GitError } from "./git.ts";
import type { LedgerContent } from "./ledgerContent.ts";
import { readLedgerCache, writeLedgerCache } from "./ledgerCache.ts";
import { readLedgerHistory, walkHistory } from "./ledgerHistory.ts";
import { ledgerPath } from "./ledgerPath.ts";
import { readObjects } from "./objects.ts";
import { readEntries, readNewest } from "./readEntries.ts";
import {
  hierarchyConflict,
  isHierarchyConflict,
  isRefBusy,
  lockedError,
  readRef,
  removeStaleLock,
} from "./refs.ts";
import type { Repository } from "./repository.ts";

export const ledgerRef = "refs/heads/evotrainer/ledger";

/** The append-only record on the branch `evotrainer/ledger`. */
export interface Ledger {
  /**
   * Adds entries in one commit. An id that is there with equal content is passed over.
   * @throws HarnessError ledgerInvalid for an entry that breaks the schema or an id that is there with another content
   */
  append(entries: readonly LedgerEntry[]): Promise<void>;
  /** All entries; after the first call only what is new is read. Never throws for malformed content. */
  read(): Promise<LedgerContent>;
}

const appendDeadlineMilliseconds = 120_000;

/** So much more than was kept, and what was read is kept again. */
const worthKeeping = { commits: 1000, entries: 20_000 };

const nothing: LedgerContent = { entries: emptyLog, quarantined: [], head: undefined };

/** The ledger of a repository; it is created by the first append. */
export function openLedger(repository: Repository): Ledger {
  let known = nothing;
  const refresh = async (): Promise<LedgerContent> => {
    const head = await readRef(repository, ledgerRef);
    if (head === known.head) return known;
    if (head === undefined) return nothing;
    // What an earlier reader kept of a long ledger, or nothing.
    const from = known.head === undefined ? ((await readLedgerCache(repository)) ?? nothing) : known;
    if (head === from.head) return (known = from);
    const more = await readLedgerHistory(repository.git, head, from.head).catch((e: unknown) => {
      // The commit we knew is gone (somebody replaced the branch and pruned): read everything.
      if (e instanceof GitError && from.head !== undefined) return { commits: [], continues: false };
      throw e;
    });
    const history = more.continues ? more : await readLedgerHistory(repository.git, head);
    const base = more.continues ? from : nothing;
    const { commits } = history;
    // The files of the newest commit say the most of a long history; of what they do not, each commit is looked at.
    const newest =
      base.entries.length === 0 && commits.length >= worthKeeping.commits
        ? await readNewest(repository, head, commits)
        : undefined;
    const added =
      newest ?? (await readEntries(repository, await walkHistory(repository.git, commits), base.entries));
    known = {
      entries: base.entries.with(added.entries),
      quarantined: [...base.quarantined, ...added.quarantined],
      head,
    };
    if (
      commits.length >= worthKeeping.commits ||
      known.entries.length - base.entries.length >= worthKeeping.entries
    )
      await writeLedgerCache(repository, { ...known, head });
    return known;
  };
  // One after the other: what the first has read the second need not.
  let reading: Promise<unknown> = Promise.resolve();
  const read = (): Promise<LedgerContent> => {
    const next = reading.then(refresh, refresh);
    reading = next;
    return next;
  };
  return { append: (entries) => appendEntries(repository, entries), read };
}

async function appendEntries(repository: Repository, values: readonly LedgerEntry[]): Promise<void> {
  const wanted = new Map<string, LedgerEntry>();
  for (const value of values) {
    const entry = parseEntry(value);
    const twin = wanted.get(entry.id);
    if (twin !== undefined && !isDeepStrictEqual(twin, entry)) throw contradiction(entry.id);
    if (Buffer.byteLength(serialise(entry)) > entryLimitBytes)
      throw new HarnessError(
        "ledgerInvalid",
        `The ledger entry ${entry.id} is over ${entryLimitBytes} bytes; keep evidence in the run's folder and refer to it.`,
      );
    wanted.set(entry.id, entry);
  }
  const deadline = Date.now() + appendDeadlineMilliseconds;
  for (let attempt = 0; ; attempt++) {
    const head = await readRef(repository, ledgerRef);
    const missing = await findMissing(repository, head, wanted);
    if (missing.length === 0) return;
    try {
      await repository.git.text(["fast-import", "--quiet", "--done", "--date-format=raw"], {
        input: importStream(repository, head, missing),
      });
      return;
    } catch (e) {
      if (!(e instanceof GitError)) throw e;
      if (isHierarchyConflict(e)) throw hierarchyConflict(ledgerRef, e);
      // Somebody else appended first, or is just doing it: look again, nothing of ours is lost.
      if (!isRefBusy(e)) throw e;
      if (Date.now() > deadline) throw lockedError(repository, ledgerRef, e);
      await removeStaleLock(repository, ledgerRef);
      await delay(Math.random() * Math.min(20 * 2 ** Math.min(attempt, 5), 500));
    }
  }
}

function contradiction(id: string): HarnessError {
  return new HarnessError(
    "ledgerInvalid",
    `The ledger already has an entry ${id} with different content; entries never change, so use a new id.`,
  );
}

/** The entries that the ledger does not have yet. */
async function findMissing(
  repository: Repository,
  head: string | undefined,
  wanted: ReadonlyMap<string, LedgerEntry>,
): Promise<LedgerEntry[]> {
  const all = [...wanted.values()];
  if (head === undefined) return all;
  const missing: LedgerEntry[] = [];
  await readObjects(
    repository.git,
    all.map((entry) => `${head}:${ledgerPath(entry.id)}`),
    entryLimitBytes,
    (object, index) => {
      const entry = all[index];
      if (entry === undefined) return;
      if (object.type === "missing") missing.push(entry);
      else if (object.type !== "found" || !isSame(object.content, entry)) throw contradiction(entry.id);
    },
  );
  return missing;
}

function isSame(content: Buffer, entry: LedgerEntry): boolean {
  const found = parseContent(content);
  return found.type === "entry" && isDeepStrictEqual(found.entry, entry);
}

function serialise(entry: LedgerEntry): string {
  return `${JSON.stringify(entry, null, 2)}\n`;
}

/** One commit in git's fast-import language: it moves the branch only if the branch still is at `head`. */
function importStream(
  repository: Repository,
  head: string | undefined,
  entries: readonly LedgerEntry[],
): string {
  const { name, email } = repository.identity;
  const at = Math.max(...entries.map((entry) => Math.floor(Date.parse(entry.at) / 1000)));
  const title =
    entries.length === 1 ? `${entries[0]?.type ?? ""} ${entries[0]?.id ?? ""}` : `${entries.length} entries`;
  const parts = [
    `commit ${ledgerRef}\n`,
    `committer ${name} <${email}> ${Math.max(at, 0)} +0000\n`,
    `data ${Buffer.byteLength(title)}\n${title}\n`,
  ];
  if (head !== undefined) parts.push(`from ${head}\n`);
  for (const entry of entries) {
    const content = serialise(entry);
    parts.push(`M 100644 inline ${ledgerPath(entry.id)}\ndata ${Buffer.byteLength(content)}\n${content}\n`);
  }
  return `${parts.join("")}done\n`;
}
