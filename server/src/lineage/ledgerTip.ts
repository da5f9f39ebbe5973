import type { Git } from "./gitProcess/commands.ts";
import { isEntryPath } from "./entryContent.ts";
import { copyFew, readLines } from "./lines.ts";

/** The files of the ledger's newest commit, in the order in which git reads them the fastest; half a million of them are not kept as objects. */
export interface TipFiles {
  readonly count: number;
  /** The names of their objects, one a line. */
  readonly oids: Buffer;
  path(file: number): string;
  /** Which of the 256 folders a file is in. */
  folder(file: number): number;
  /** What a file takes in git's list of its folder: mode, blank, name, zero, and the hash in bytes. */
  rowBytes(file: number): number;
}

/**
 * The files of the ledger's newest commit, the other way round than git stores them: most are stored as a difference to one
 * before, and git then keeps what it made for those that come next. In the order of their paths each is made anew from those
 * that it differs from, which takes several times as long. Undefined where something else is among them.
 */
export async function readTip(git: Git, head: string): Promise<TipFiles | undefined> {
  const listed = await git.bytes(["ls-tree", "-r", "-z", "--full-tree", head]);
  const rows = rowsOf(listed);
  return rows === undefined
    ? undefined
    : new Listing(listed, await inOrder(git, listed, rows), rows.oidLength);
}

const start = "100644 blob ";
const root = "entries/";

/** Where the rows of a list of files begin; undefined where one is not an entry's. */
interface Rows {
  readonly starts: Int32Array;
  readonly oidLength: number;
}

function rowsOf(listed: Buffer): Rows | undefined {
  const starts: number[] = [];
  const oidLength = Math.max(0, listed.indexOf(9) - start.length);
  for (let from = 0; from < listed.length;) {
    const to = listed.indexOf(0, from);
    const tab = from + start.length + oidLength;
    const isFile = listed.toString("latin1", from, from + start.length) === start && listed[tab] === 9;
    if (!isFile || !isEntryPath(listed.toString("utf8", tab + 1, to))) return undefined;
    starts.push(from);
    from = to + 1;
  }
  return { starts: Int32Array.from(starts), oidLength };
}

class Listing implements TipFiles {
  readonly count: number;
  readonly oids: Buffer;
  readonly #listed: Buffer;
  readonly #starts: Int32Array;
  readonly #oidLength: number;

  constructor(listed: Buffer, starts: Int32Array, oidLength: number) {
    this.#listed = listed;
    this.#starts = starts;
    this.#oidLength = oidLength;
    this.count = starts.length;
    const line = oidLength + 1;
    this.oids = Buffer.alloc(starts.length * line, 10);
    for (const [i, row] of starts.entries()) {
      const from = row + start.length;
      copyFew(listed, from, from + oidLength, this.oids, i * line);
    }
  }

  #pathAt(file: number): number {
    return (this.#starts[file] ?? 0) + start.length + this.#oidLength + 1;
  }

  path(file: number): string {
    const from = this.#pathAt(file);
    return this.#listed.toString("utf8", from, this.#listed.indexOf(0, from));
  }

  folder(file: number): number {
    const from = this.#pathAt(file) + root.length;
    return parseInt(this.#listed.toString("latin1", from, from + 2), 16);
  }

  rowBytes(file: number): number {
    const from = this.#pathAt(file);
    const name = this.#listed.indexOf(0, from) - from - `${root}00/`.length;
    return "100644 ".length + name + 1 + this.#oidLength / 2;
  }
}

/** The rows in the opposite of the order in which git stores their objects. */
async function inOrder(git: Git, listed: Buffer, { starts, oidLength }: Rows): Promise<Int32Array> {
  const count = starts.length;
  const ordered = new Int32Array(count);
  if (count === 0) return ordered;
  const keys = new OidTable(listed, starts, oidLength);
  const isPlaced = new Uint8Array(count);
  let next = count;
  const place = (row: number): void => {
    if (isPlaced[row] === 1) return;
    isPlaced[row] = 1;
    ordered[--next] = starts[row] ?? 0;
  };
  const all = ["cat-file", "--unordered", "--batch-all-objects", "--batch-check=%(objectname)"];
  await readLines(git, all, (bytes, from) => {
    for (let row = keys.first(bytes, from); row !== -1; row = keys.same(row)) place(row);
  });
  for (let row = 0; row < count; row++) place(row);
  return ordered;
}

/** Which rows have an object. */
class OidTable {
  readonly #listed: Buffer;
  readonly #starts: Int32Array;
  readonly #length: number;
  readonly #table: Int32Array;
  /** The beginning of the name of each row's object: whole names are compared only where these are the same. */
  readonly #keys: Float64Array;
  /** Two files may have one content. */
  readonly #same: Int32Array;

  constructor(listed: Buffer, starts: Int32Array, length: number) {
    this.#listed = listed;
    this.#starts = starts;
    this.#length = length;
    this.#table = new Int32Array(2 ** Math.ceil(Math.log2(2 * starts.length + 2))).fill(-1);
    this.#same = new Int32Array(starts.length).fill(-1);
    this.#keys = new Float64Array(starts.length);
    for (const [row, from] of starts.entries()) {
      this.#keys[row] = keyAt(listed, from + start.length);
      const place = this.#placeOf(listed, from + start.length);
      this.#same[row] = this.#table[place] ?? -1;
      this.#table[place] = row;
    }
  }

  /** Where the row of an object is or would be: the name of an object is as good as chance. */
  #placeOf(bytes: Buffer, at: number): number {
    const mask = this.#table.length - 1;
    const key = keyAt(bytes, at);
    let place = key & mask;
    for (; ; place = (place + 1) & mask) {
      const row = this.#table[place] ?? -1;
      if (row === -1) return place;
      if (this.#keys[row] !== key) continue;
      const from = (this.#starts[row] ?? 0) + start.length;
      if (bytes.compare(this.#listed, from, from + this.#length, at, at + this.#length) === 0) return place;
    }
  }

  first(bytes: Buffer, at: number): number {
    return this.#table[this.#placeOf(bytes, at)] ?? -1;
  }

  same(row: number): number {
    return this.#same[row] ?? -1;
  }
}

/** The first twelve digits of an object's name as a number. */
function keyAt(bytes: Buffer, at: number): number {
  let key = 0;
  for (let i = at; i < at + 12; i++) {
    const code = bytes[i] ?? 0;
    // "a" is 97, "0" is 48.
    key = key * 16 + (code > 96 ? code - 87 : code - 48);
  }
  return key;
}
