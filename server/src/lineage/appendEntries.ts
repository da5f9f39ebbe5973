import { setTimeout as delay } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import type { LedgerEntry } from "../../../shared/ledger/ledger.ts";
import { HarnessError } from "../base/errors.ts";
import { entryLimitBytes } from "./entries/entryBlocks.ts";
import { parseContent, parseEntry } from "./entryContent.ts";
import { GitError } from "./gitProcess/gitError.ts";
import { ledgerPath } from "./entries/ledgerPath.ts";
import { readObjects } from "./objects.ts";
import {
  hierarchyConflict,
  isHierarchyConflict,
  isRefBusy,
  lockedError,
  noteRef,
  readRef,
  removeStaleLock,
} from "./refs.ts";
import type { Repository } from "./repository.ts";
import { noteAppended } from "./watchLedger.ts";
import { engineKey } from "./trust/engineKey.ts";
import { signed, unsigned } from "./trust/signature.ts";
import { idAt, mostIds, versionIds } from "./trust/signedEntry.ts";
import { standingOf } from "./trust/standing.ts";
import { trustedKeys, type TrustedKeys } from "./trust/trustedKeys.ts";

export interface AppendOptions {
  /** Whether they are signed, by default true. What another tool recorded is not: this engine did not see it happen. */
  readonly isSigned?: boolean;
  /** Whether an id that this user's engines wrote before is passed over whatever it says: a step that is repeated. */
  readonly isRepeated?: boolean;
}

/** A file of the ledger, as it was written. */
export interface WrittenFile {
  readonly path: string;
  readonly content: string;
}

/** A commit that was made: whoever knows the ledger at `before` knows it at `after` too. */
export interface Appended {
  readonly before: string | undefined;
  readonly after: string;
  readonly files: readonly WrittenFile[];
}

const appendDeadlineMilliseconds = 120_000;

/**
 * Adds entries to the ledger on the branch `ref` in one commit, however many do so at once; undefined where it has them all.
 */
export async function appendEntries(
  repository: Repository,
  ref: string,
  values: readonly LedgerEntry[],
  how: AppendOptions = {},
): Promise<Appended | undefined> {
  const wanted = wantedOf(values);
  if (wanted.length === 0) return undefined;
  const deadline = Date.now() + appendDeadlineMilliseconds;
  for (let attempt = 0; ; attempt++) {
    const head = await readRef(repository, ref);
    const missing = await missingFrom(repository, { head, wanted, how });
    if (missing.length === 0) return undefined;
    const files = missing.map((entry) => ({ path: ledgerPath(entry.id), content: serialise(entry) }));
    try {
      const after = await repository.git.text(["fast-import", "--quiet", "--done", "--date-format=raw"], {
        input: importStream(repository, { ref, head, entries: missing, files }),
      });
      noteRef(repository, ref, after);
      await noteAppended(repository, { before: head, after, added: missing.length });
      return { before: head, after, files };
    } catch (e) {
      if (!(e instanceof GitError)) throw e;
      if (isHierarchyConflict(e)) throw hierarchyConflict(ref, e);
      // Somebody else appended first, or is just doing it: look again, nothing of ours is lost.
      if (!isRefBusy(e)) throw e;
      if (Date.now() > deadline) throw lockedError(repository, ref, e);
      await removeStaleLock(repository, ref);
      await delay(Math.random() * Math.min(20 * 2 ** Math.min(attempt, 5), 500));
    }
  }
}

/** The entries by id, each once. */
function wantedOf(values: readonly LedgerEntry[]): LedgerEntry[] {
  const wanted = new Map<string, LedgerEntry>();
  for (const value of values) {
    const entry = unsigned(parseEntry(value));
    const twin = wanted.get(entry.id);
    if (twin !== undefined && !isDeepStrictEqual(twin, entry)) throw contradiction(entry.id);
    if (Buffer.byteLength(serialise(entry)) > entryLimitBytes - signatureBytes)
      throw new HarnessError(
        "ledgerInvalid",
        `The ledger entry ${entry.id} is over ${entryLimitBytes} bytes; keep evidence in the run's folder and refer to it.`,
      );
    wanted.set(entry.id, entry);
  }
  return [...wanted.values()];
}

const signatureBytes = 300;

function contradiction(id: string): HarnessError {
  return new HarnessError(
    "ledgerInvalid",
    `The ledger already has an entry ${id} with different content; entries never change, so use a new id.`,
  );
}

interface Appending {
  readonly head: string | undefined;
  readonly wanted: readonly LedgerEntry[];
  readonly how: AppendOptions;
}

/**
 * What the ledger does not have yet, as it is to be written. An id that a claim has taken is not given up: the entry gets
 * another one, because nobody may keep an engine from writing by being there first.
 */
async function missingFrom(repository: Repository, { head, wanted, how }: Appending): Promise<LedgerEntry[]> {
  const { isSigned = true, isRepeated = false } = how;
  const trusted = trustedKeys();
  const ofVersions = isSigned ? idsOfVersions(wanted) : [];
  // Git is asked once: starting it takes longer than what it does.
  const held = await entriesAt(repository, head, [...ofVersions, ...wanted.map(({ id }) => id)]);
  const commits = isSigned
    ? commitsOf(wanted, held.slice(0, ofVersions.length), trusted)
    : new Map<string, string>();
  const missing: LedgerEntry[] = [];
  let left = wanted;
  for (let n = 1; left.length > 0; n++) {
    const named = left.map((entry) => ({ ...entry, id: idAt(entry.id, n) }));
    const there =
      n === 1
        ? held.slice(ofVersions.length)
        : await entriesAt(
            repository,
            head,
            named.map(({ id }) => id),
          );
    const taken = new Set<LedgerEntry>();
    for (const [i, entry] of named.entries()) {
      const [found, asked] = [there[i] ?? "none", left[i] ?? entry];
      if (found === "none") missing.push(entry);
      else if (found === "unreadable" || (isSigned && !isOurs(found, trusted, commits.get(subjectOf(entry)))))
        taken.add(asked);
      else if (!isRepeated && !isDeepStrictEqual(unsigned(found), entry)) throw contradiction(asked.id);
    }
    left = left.filter((entry) => taken.has(entry));
    const [first] = left;
    if (first !== undefined && (n === mostIds || !isSigned)) throw contradiction(first.id);
  }
  if (!isSigned) return missing;
  const key = engineKey();
  return missing.map((entry) => signed(entry, key, commits.get(subjectOf(entry)) ?? null));
}

/** Whether one who is trusted wrote it, about this version. */
const isOurs = (entry: LedgerEntry, trusted: TrustedKeys, commit: string | undefined): boolean =>
  standingOf(entry, trusted, commit) === "signed";

const subjectOf = ({ domain, version }: LedgerEntry): string => `${domain} ${version}`;

/** Under which ids the ledger may say what the versions are that these entries speak of and do not begin. */
function idsOfVersions(entries: readonly LedgerEntry[]): string[] {
  const begun = new Set(entries.filter(({ type }) => type === "version").map(subjectOf));
  const names = new Set(entries.filter((entry) => !begun.has(subjectOf(entry))).map((e) => e.version));
  return [...names].flatMap(versionIds);
}

/** What each version that is spoken of was first proposed as, as far as the ledger or these entries say. */
function commitsOf(
  entries: readonly LedgerEntry[],
  found: readonly Held[],
  trusted: TrustedKeys,
): Map<string, string> {
  const commits = new Map<string, string>();
  for (const entry of entries) if (entry.type === "version") commits.set(subjectOf(entry), entry.commit);
  for (const entry of found) {
    if (typeof entry !== "object" || entry.type !== "version") continue;
    if (!commits.has(subjectOf(entry)) || isOurs(entry, trusted, entry.commit))
      commits.set(subjectOf(entry), entry.commit);
  }
  return commits;
}

/** What the ledger holds under an id. */
type Held = LedgerEntry | "none" | "unreadable";

/** What the ledger holds under some ids, in their order. */
async function entriesAt(
  repository: Repository,
  head: string | undefined,
  ids: readonly string[],
): Promise<Held[]> {
  const found = ids.map((): Held => "none");
  if (head === undefined) return found;
  await readObjects(
    repository.git,
    ids.map((id) => `${head}:${ledgerPath(id)}`),
    entryLimitBytes,
    (object, index) => {
      if (object.type === "missing") return;
      const parsed = object.type === "found" ? parseContent(object.content) : undefined;
      found[index] = parsed?.type === "entry" ? parsed.entry : "unreadable";
    },
  );
  return found;
}

function serialise(entry: LedgerEntry): string {
  return `${JSON.stringify(entry, null, 2)}\n`;
}

interface Import {
  readonly ref: string;
  readonly head: string | undefined;
  readonly entries: readonly LedgerEntry[];
  readonly files: readonly WrittenFile[];
}

/**
 * One commit in git's fast-import language: it moves the branch only if the branch still is at `head`. Git prints the
 * commit's name.
 */
function importStream(repository: Repository, { ref, head, entries, files }: Import): string {
  const { name, email } = repository.identity;
  const at = Math.max(...entries.map((entry) => Math.floor(Date.parse(entry.at) / 1000)));
  const title =
    entries.length === 1 ? `${entries[0]?.type ?? ""} ${entries[0]?.id ?? ""}` : `${entries.length} entries`;
  const parts = [
    `commit ${ref}\nmark :1\n`,
    `committer ${name} <${email}> ${Math.max(at, 0)} +0000\n`,
    `data ${Buffer.byteLength(title)}\n${title}\n`,
  ];
  if (head !== undefined) parts.push(`from ${head}\n`);
  for (const { path, content } of files)
    parts.push(`M 100644 inline ${path}\ndata ${Buffer.byteLength(content)}\n${content}\n`);
  return `${parts.join("")}get-mark :1\ndone\n`;
}
