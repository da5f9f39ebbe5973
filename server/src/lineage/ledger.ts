import { isDeepStrictEqual } from "node:util";
import { setTimeout as delay } from "node:timers/promises";
import type { z } from "zod";
import { LedgerEntry } from "../../../shared/ledger/ledger.ts";
import { HarnessError, messageOf } from "../base/errors.ts";
import { GitError } from "./git.ts";
import type { LedgerContent, Quarantined } from "./ledgerContent.ts";
import { readLedgerCache, writeLedgerCache } from "./ledgerCache.ts";
import { readLedgerHistory, type LedgerChange } from "./ledgerHistory.ts";
import { ledgerPath } from "./ledgerPath.ts";
import { readObjects, type ReadObject } from "./objects.ts";
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

/** Larger entries are refused: evidence belongs into the run's folder. */
const entryLimitBytes = 1_048_576;
const appendDeadlineMilliseconds = 120_000;

/** So much more than was kept, and what was read is kept again. */
const worthKeeping = { commits: 1000, changes: 20_000 };

type Known = LedgerContent & { readonly seen: ReadonlyMap<string, LedgerEntry> };

/** What an earlier reader kept of a long ledger, or nothing. */
async function startOf(repository: Repository): Promise<Known> {
  const kept = await readLedgerCache(repository);
  return kept === undefined
    ? { entries: [], quarantined: [], head: undefined, seen: new Map() }
    : { ...kept, seen: new Map(kept.entries.map((entry) => [entry.id, entry])) };
}

/** The ledger of a repository; it is created by the first append. */
export function openLedger(repository: Repository): Ledger {
  let known: Known = { entries: [], quarantined: [], head: undefined, seen: new Map() };
  const refresh = async (): Promise<LedgerContent> => {
    const head = await readRef(repository, ledgerRef);
    if (head === known.head) return known;
    if (head === undefined) return { entries: [], quarantined: [], head };
    const from = known.head === undefined ? await startOf(repository) : known;
    if (head === from.head) return (known = from);
    const more = await readLedgerHistory(repository.git, head, from.head).catch((e: unknown) => {
      // The commit we knew is gone (somebody replaced the branch and pruned): read everything.
      if (e instanceof GitError && from.head !== undefined)
        return { changes: [], commits: 0, continues: false };
      throw e;
    });
    const history = more.continues ? more : await readLedgerHistory(repository.git, head);
    const base = more.continues
      ? from
      : { entries: [], quarantined: [], seen: new Map<string, LedgerEntry>() };
    const added = await readEntries(repository, history.changes, base.seen);
    known = {
      entries: [...base.entries, ...added.entries],
      quarantined: [...base.quarantined, ...added.quarantined],
      head,
      seen: added.seen,
    };
    const { commits, changes } = history;
    if (commits >= worthKeeping.commits || changes.length >= worthKeeping.changes)
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

/**
 * Checks a value against the ledger's schema.
 * @throws HarnessError ledgerInvalid with field and reason
 */
export function parseEntry(value: unknown): LedgerEntry {
  const parsed = LedgerEntry.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new HarnessError("ledgerInvalid", `The ledger entry was refused: ${describeIssue(parsed.error)}.`);
}

function describeIssue(error: z.ZodError): string {
  const issue = error.issues[0];
  const field = issue?.path.map(String).join(".") ?? "";
  return `${field === "" ? "" : `${field}: `}${issue?.message ?? "it does not fit the schema"}`.replace(
    /\.$/,
    "",
  );
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
    `The ledger already holds an entry ${id} with another content; entries never change, so use a new id.`,
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

type Parsed = { type: "entry"; entry: LedgerEntry } | { type: "bad"; reason: string };

function parseContent(content: Buffer): Parsed {
  try {
    const parsed = LedgerEntry.safeParse(JSON.parse(content.toString("utf8")));
    return parsed.success
      ? { type: "entry", entry: parsed.data }
      : { type: "bad", reason: describeIssue(parsed.error) };
  } catch (e) {
    return { type: "bad", reason: `not JSON: ${messageOf(e)}` };
  }
}

const typeOrder: readonly LedgerEntry["type"][] = [
  "version",
  "hypothesis",
  "backtest",
  "approval",
  "job",
  "evidence",
  "decision",
  "waiver",
  "promotion",
  "note",
];

function compareEntries(a: LedgerEntry, b: LedgerEntry): number {
  const byTime = Date.parse(a.at) - Date.parse(b.at);
  const byType = typeOrder.indexOf(a.type) - typeOrder.indexOf(b.type);
  return byTime || byType || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
}

/** The first content that an id ever had is the entry; later changes and deletions by hand are set aside. */
async function readEntries(
  repository: Repository,
  changes: readonly LedgerChange[],
  before: ReadonlyMap<string, LedgerEntry>,
): Promise<{ entries: LedgerEntry[]; quarantined: Quarantined[]; seen: Map<string, LedgerEntry> }> {
  const seen = new Map(before);
  const quarantined: Quarantined[] = [];
  const perCommit = new Map<number, LedgerEntry[]>();
  const readable: LedgerChange[] = [];
  for (const change of changes) {
    if (change.status === "D")
      quarantined.push({ path: change.path, reason: "deleted by hand; the ledger still counts it" });
    else if (!/^entries\/[0-9a-f]{2}\/[^/]+\.json$/.test(change.path))
      quarantined.push({ path: change.path, reason: "not the path of a ledger entry" });
    else readable.push(change);
  }
  const accept = (change: LedgerChange, object: ReadObject): string | undefined => {
    if (object.type === "missing") return "its content is missing from the repository";
    if (object.type === "tooLarge") return `over ${entryLimitBytes} bytes`;
    const parsed = object.kind === "blob" ? parseContent(object.content) : undefined;
    if (parsed === undefined) return "not a file";
    if (parsed.type === "bad") return parsed.reason;
    const { entry } = parsed;
    if (ledgerPath(entry.id) !== change.path) return `its id ${entry.id} does not belong to this path`;
    const first = seen.get(entry.id);
    if (first === undefined) {
      seen.set(entry.id, entry);
      const list = perCommit.get(change.commit);
      if (list === undefined) perCommit.set(change.commit, [entry]);
      else list.push(entry);
      return undefined;
    }
    return isDeepStrictEqual(first, entry)
      ? undefined
      : "changed after it was written; the first content counts";
  };
  await readObjects(
    repository.git,
    readable.map((change) => change.oid),
    entryLimitBytes,
    (object, index) => {
      const change = readable[index];
      const reason = change && accept(change, object);
      if (change !== undefined && reason !== undefined) quarantined.push({ path: change.path, reason });
    },
  );
  const entries = [...perCommit.entries()]
    .sort(([a], [b]) => a - b)
    .flatMap(([, list]) => list.sort(compareEntries));
  return { entries, quarantined, seen };
}
