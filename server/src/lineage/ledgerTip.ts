import type { LedgerEntry } from "../../../shared/ledger/ledger.ts";
import type { Git } from "./git.ts";
import { readChanges, type LedgerChange, type LedgerCommit } from "./ledgerCommits.ts";

/** A file of the ledger as its newest commit has it. */
export interface TipFile {
  readonly path: string;
  readonly oid: string;
}

/**
 * The files of the ledger's newest commit, the other way round than git stores them: most are stored as a difference to one
 * before, and git then keeps what it made for those that come next. In the order of their paths each is made anew from those
 * that it differs from, which takes several times as long. Undefined where something else is among them.
 */
export async function readTip(git: Git, head: string): Promise<TipFile[] | undefined> {
  const [listed, stored] = await Promise.all([
    git.bytes(["ls-tree", "-r", "-z", "--full-tree", head]),
    git.bytes(["cat-file", "--unordered", "--batch-all-objects", "--batch-check=%(objectname)"]),
  ]);
  const files = parseTip(listed);
  if (files === undefined) return undefined;
  // Two files may have one content.
  const left = new Map<string, TipFile[]>();
  for (const file of files) {
    const same = left.get(file.oid);
    if (same === undefined) left.set(file.oid, [file]);
    else same.push(file);
  }
  const ordered: TipFile[] = [];
  const line = (files[0]?.oid.length ?? 0) + 1;
  for (let from = 0; from < stored.length; from += line) {
    const oid = stored.toString("latin1", from, from + line - 1);
    const found = left.get(oid);
    if (found === undefined) continue;
    ordered.push(...found);
    left.delete(oid);
  }
  for (const missing of left.values()) ordered.push(...missing);
  return ordered.reverse();
}

function parseTip(listed: Buffer): TipFile[] | undefined {
  const files: TipFile[] = [];
  for (let from = 0; from < listed.length;) {
    const to = listed.indexOf(0, from);
    const match = /^100644 blob ([0-9a-f]{40,64})\t(.*)$/s.exec(listed.toString("utf8", from, to));
    if (match === null) return undefined;
    const [, oid = "", path = ""] = match;
    files.push({ path, oid });
    from = to + 1;
  }
  return files;
}

const folders = 256;

/** A folder of the ledger, by number, that a commit changed, and by how many bytes git's list of its files grew. */
interface Growth {
  readonly commit: number;
  readonly folder: number;
  readonly bytes: number;
}

export interface Growths {
  readonly commits: readonly LedgerCommit[];
  readonly all: readonly Growth[];
}

/**
 * Which of the 256 folders each commit changed, and by how much each grew: what a commit did can be told from that, and
 * git compares two lists of 256 folders for it instead of all files. Undefined where a commit did anything else.
 */
export async function readGrowths(git: Git, commits: readonly LedgerCommit[]): Promise<Growths | undefined> {
  const roots = await readChanges(git, commits, { recursive: false });
  if (
    roots.length !== commits.length ||
    roots.some(({ path, status }) => path !== "entries" || status === "D")
  )
    return undefined;
  const changed = await changedFolders(git, roots);
  if (changed === undefined) return undefined;
  const sizes = await sizesOf(
    git,
    changed.map(({ oid }) => oid),
  );
  const held = new Float64Array(folders);
  const all: Growth[] = [];
  for (const [i, { commit, path }] of changed.entries()) {
    const size = sizes[i];
    if (size === undefined || Number.isNaN(size)) return undefined;
    const folder = parseInt(path, 16);
    all.push({ commit, folder, bytes: size - (held[folder] ?? 0) });
    held[folder] = size;
  }
  return { commits, all };
}

/** From commit to commit what of `entries` changed; undefined where a folder went, or is none. */
async function changedFolders(
  git: Git,
  roots: readonly LedgerChange[],
): Promise<Pick<LedgerChange, "commit" | "oid" | "path">[] | undefined> {
  const empty = await git.text(["hash-object", "-t", "tree", "--stdin"], { input: "" });
  const input = roots.map(({ oid }, i) => `${roots[i - 1]?.oid ?? empty} ${oid}\n`).join("");
  const raw = await git.text(["diff-tree", "--stdin", "--raw", "--no-abbrev", "--no-renames"], { input });
  const changed: Pick<LedgerChange, "commit" | "oid" | "path">[] = [];
  let commit = -1;
  for (const line of raw.split("\n")) {
    if (!line.startsWith(":")) {
      if (line !== "") commit++;
      continue;
    }
    const match = /^:\d+ 040000 [0-9a-f]+ ([0-9a-f]+) [AM]\t([0-9a-f]{2})$/.exec(line);
    if (match === null) return undefined;
    const [, oid = "", path = ""] = match;
    changed.push({ commit, oid, path });
  }
  return commit + 1 === roots.length ? changed : undefined;
}

async function sizesOf(git: Git, oids: readonly string[]): Promise<number[]> {
  const told = await git.text(["cat-file", "--batch-check=%(objectsize)"], { input: `${oids.join("\n")}\n` });
  return told.split("\n").map(Number);
}

/** A file of the newest commit with its entry; undefined for one that cannot be used. */
export interface PlacedEntry {
  readonly file: TipFile;
  readonly entry: LedgerEntry | undefined;
  /** Since 1970, of the entry. */
  readonly second: number;
}

/** More than this share of the commits that cannot be told, and all are walked at once. */
const mostDoubtful = 0.2;

/**
 * The commit that added each entry, as places in the list of commits. An entry belongs to the first commit of its time
 * that changed its folder. A commit is believed when it has one parent, was not made anew later, is as old as the newest of
 * its entries (as `append` writes it), and when each folder that it changed grew by exactly the names of its entries: one
 * that deleted or rewrote a file, or added another, shows by that. The others are compared as a whole. Undefined when these
 * did more than add files, or when it does not come out even: then only walking the whole history tells.
 */
export async function commitsOfEntries(
  git: Git,
  { commits, all }: Growths,
  placed: readonly PlacedEntry[],
): Promise<readonly number[] | undefined> {
  const guessed = guess({ commits, all }, placed);
  const doubtful = doubtfulCommits({ commits, all }, placed, guessed);
  const found = Array.from(guessed, (growth) => all[growth]?.commit ?? -1);
  if (doubtful.size > Math.max(100, commits.length * mostDoubtful)) return undefined;
  const numbers = [...doubtful].sort((a, b) => a - b);
  const changes = await readChanges(
    git,
    numbers.flatMap((n) => commits[n] ?? []),
    { recursive: true },
  );
  const exact = new Map<string, number>();
  for (const { status, path, commit } of changes) {
    if (status !== "A" || exact.has(path)) return undefined;
    exact.set(path, numbers[commit] ?? -1);
  }
  for (const [i, { file }] of placed.entries()) {
    const compared = exact.get(file.path);
    const believed = !doubtful.has(found[i] ?? -1) && found[i] !== -1;
    if (believed === (compared !== undefined)) return undefined;
    if (compared !== undefined) found[i] = compared;
    exact.delete(file.path);
  }
  return exact.size === 0 ? found : undefined;
}

const folderOf = ({ path }: TipFile): number =>
  parseInt(path.slice("entries/".length, "entries/".length + 2), 16);

/** For each entry the first change of its folder by a commit that is not older than it, as its place; -1 without one. */
function guess({ commits, all }: Growths, placed: readonly PlacedEntry[]): Int32Array {
  const byFolder = Array.from({ length: folders }, (): number[] => []);
  for (const [growth, { folder }] of all.entries()) byFolder[folder]?.push(growth);
  const committed = (growth: number | undefined): number =>
    commits[all[growth ?? -1]?.commit ?? -1]?.committed ?? 0;
  return Int32Array.from(placed, ({ file, second }) => {
    if (Number.isNaN(second)) return -1;
    const list = byFolder[folderOf(file)] ?? [];
    let [low, high] = [0, list.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (committed(list[middle]) < second) low = middle + 1;
      else high = middle;
    }
    return list[low] ?? -1;
  });
}

/** The commits that the entries that were guessed to be theirs do not explain. */
function doubtfulCommits(
  { commits, all }: Growths,
  placed: readonly PlacedEntry[],
  guessed: Int32Array,
): Set<number> {
  const newest = new Float64Array(commits.length).fill(-1);
  const explained = new Float64Array(all.length);
  for (const [i, { file, second }] of placed.entries()) {
    const growth = guessed[i] ?? -1;
    const commit = all[growth]?.commit;
    if (commit === undefined) continue;
    newest[commit] = Math.max(newest[commit] ?? -1, second);
    explained[growth] = (explained[growth] ?? 0) + rowBytes(file);
  }
  const doubtful = new Set<number>();
  for (const [growth, { commit, bytes }] of all.entries())
    if (explained[growth] !== bytes) doubtful.add(commit);
  for (const [n, { parents, authored, committed }] of commits.entries())
    if (parents.length > 1 || authored !== committed || newest[n] !== committed) doubtful.add(n);
  return doubtful;
}

/** What a file takes in git's list of a folder: mode, blank, name, zero, and the hash in bytes. */
function rowBytes({ path, oid }: TipFile): number {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return "100644 ".length + Buffer.byteLength(name) + 1 + oid.length / 2;
}
