import type { Git } from "./gitProcess/commands.ts";
import { readChanges, type LedgerChange, type LedgerCommit } from "./ledgerCommits.ts";
import type { TipFiles } from "./ledgerTip.ts";
import { copyFew, readLines } from "./lines.ts";

const folders = 256;

/** Which folders of the ledger each commit changed, in the order of the commits, and by how many bytes git's list of its files grew. */
export interface Growths {
  readonly commits: readonly LedgerCommit[];
  readonly commit: Int32Array;
  readonly folder: Uint8Array;
  readonly bytes: Float64Array;
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
  const told = await git.text(["cat-file", "--buffer", "--batch-check=%(objectsize)"], {
    input: changed.oids,
  });
  const held = new Float64Array(folders);
  const bytes = new Float64Array(changed.commit.length);
  const sizes = told.split("\n");
  for (const [i, folder] of changed.folder.entries()) {
    const size = Number(sizes[i]);
    if (Number.isNaN(size)) return undefined;
    bytes[i] = size - (held[folder] ?? 0);
    held[folder] = size;
  }
  return { commits, commit: changed.commit, folder: changed.folder, bytes };
}

interface ChangedFolders {
  readonly commit: Int32Array;
  readonly folder: Uint8Array;
  /** What the folders became, one a line. */
  readonly oids: Buffer;
}

const [colon, lineEnd] = [":".charCodeAt(0), 10];
const becameFolder = /^ [AM]\t([0-9a-f]{2})$/;

/** From commit to commit what of `entries` changed; undefined where a folder went, or is none. */
async function changedFolders(git: Git, roots: readonly LedgerChange[]): Promise<ChangedFolders | undefined> {
  const empty = await git.text(["hash-object", "-t", "tree", "--stdin"], { input: "" });
  const input = roots.map(({ oid }, i) => `${roots[i - 1]?.oid ?? empty} ${oid}\n`).join("");
  const commit: number[] = [];
  const folder: number[] = [];
  const rows: Buffer[] = [];
  // ":040000 040000 <before> <after> M\tab"
  const hash = empty.length;
  const after = ":040000 040000 ".length + hash + 1;
  let [last, isOdd] = [-1, false];
  const onLine = (bytes: Buffer, from: number, to: number): void => {
    if (bytes[from] !== colon) {
      last++;
      return;
    }
    const path = bytes.toString("latin1", from + after + hash, to);
    const [, digits] = becameFolder.exec(path) ?? [];
    isOdd ||= digits === undefined || bytes.toString("latin1", from + 8, from + 14) !== "040000";
    commit.push(last);
    folder.push(parseInt(digits ?? "0", 16));
    // A thousand names at a time.
    const place = (folder.length - 1) % 1000;
    if (place === 0) rows.push(Buffer.alloc(1000 * (hash + 1), lineEnd));
    const row = rows.at(-1);
    if (row !== undefined) copyFew(bytes, from + after, from + after + hash, row, place * (hash + 1));
  };
  await readLines(git, ["diff-tree", "--stdin", "--raw", "--no-abbrev", "--no-renames"], onLine, { input });
  if (isOdd || last + 1 !== roots.length) return undefined;
  return {
    commit: Int32Array.from(commit),
    folder: Uint8Array.from(folder),
    oids: Buffer.concat(rows, folder.length * (hash + 1)),
  };
}

/** The files of the newest commit with the seconds since 1970 of their entries; NaN for one that cannot be used. */
export interface PlacedFiles {
  readonly files: TipFiles;
  readonly seconds: Float64Array;
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
  growths: Growths,
  placed: PlacedFiles,
): Promise<Int32Array | undefined> {
  const { commits } = growths;
  const guessed = guess(growths, placed);
  const doubtful = doubtfulCommits(growths, placed, guessed);
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
  const found = guessed.map((growth) => growths.commit[growth] ?? -1);
  for (const [file, commit] of found.entries()) {
    const isBelieved = commit !== -1 && !doubtful.has(commit);
    // Without any doubt there is no path to look for.
    if (exact.size === 0 && isBelieved) continue;
    const path = placed.files.path(file);
    const compared = exact.get(path);
    if (isBelieved === (compared !== undefined)) return undefined;
    if (compared !== undefined) found[file] = compared;
    exact.delete(path);
  }
  return exact.size === 0 ? found : undefined;
}

/** For each entry the first change of its folder by a commit that is not older than it, as its place; -1 without one. */
function guess({ commits, commit, folder }: Growths, { files, seconds }: PlacedFiles): Int32Array {
  const committed = Float64Array.from(commits, (c) => c.committed);
  const byFolder = Array.from({ length: folders }, (): number[] => []);
  for (const [growth, n] of folder.entries()) byFolder[n]?.push(growth);
  const guessed = new Int32Array(files.count).fill(-1);
  for (const [file, second] of seconds.entries()) {
    if (Number.isNaN(second)) continue;
    const list = byFolder[files.folder(file)] ?? [];
    let [low, high] = [0, list.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((committed[commit[list[middle] ?? 0] ?? 0] ?? 0) < second) low = middle + 1;
      else high = middle;
    }
    guessed[file] = list[low] ?? -1;
  }
  return guessed;
}

/** The commits that the entries that were guessed to be theirs do not explain. */
function doubtfulCommits(
  { commits, commit, bytes }: Growths,
  { files, seconds }: PlacedFiles,
  guessed: Int32Array,
): Set<number> {
  const newest = new Float64Array(commits.length).fill(-1);
  const explained = new Float64Array(bytes.length);
  for (const [file, growth] of guessed.entries()) {
    const by = commit[growth];
    if (by === undefined) continue;
    newest[by] = Math.max(newest[by] ?? -1, seconds[file] ?? -1);
    explained[growth] = (explained[growth] ?? 0) + files.rowBytes(file);
  }
  const doubtful = new Set<number>();
  for (const [growth, by] of commit.entries()) if (explained[growth] !== bytes[growth]) doubtful.add(by);
  for (const [n, { parents, authored, committed }] of commits.entries())
    if (parents.length > 1 || authored !== committed || newest[n] !== committed) doubtful.add(n);
  return doubtful;
}
