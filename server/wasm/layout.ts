// Where things lie in the module's memory: a block of lines, the columns of a chunk, and the texts of each text column.
// Nothing is ever out of room inside a line: every text heap has room for a whole block behind what makes a chunk full.

/** Rows of a full chunk, as the engine has them. */
export const chunkRows: i32 = 2048;
/** The most bytes of lines that are given at once. */
export const blockBytes: usize = 4 << 20;
/** Loads and stores of 16 bytes may reach so far behind their end. */
const slack: usize = 64;

/** The most pairs of a map, and the most of all maps of a chunk. */
export const mostPairs: i32 = 64;
export const chunkPairs: i32 = 16 * chunkRows;

/** A column of a chunk; the reader of the chunk knows this layout. */
@unmanaged
export class Column {
  /** Values, or the slots of texts: 4 bytes of length, then 12 of text, or 4 of it and its place in the heap. */
  data: usize;
  /** One bit per row, set when it has a value. */
  valid: usize;
  heap: usize;
  /** Bytes of the heap that rows of finished lines use. */
  used: usize;
  /** The same with those of the line that is being read. */
  end: usize;
  /** When `used` reaches it the chunk is full. */
  most: usize;
}

/** Where the columns of turns and of pairs begin, behind those of rollouts. */
export const turns: i32 = 24;
export const pairs: i32 = 33;
export const columnCount: i32 = 35;

/** Columns of the table `rollouts`, in its order. */
export namespace Rollouts {
  export const rid: i32 = 0;
  export const source: i32 = 1;
  export const line: i32 = 2;
  export const version: i32 = 3;
  export const id: i32 = 4;
  export const run: i32 = 5;
  export const split: i32 = 6;
  export const step: i32 = 7;
  export const item: i32 = 8;
  export const group: i32 = 9;
  export const sample: i32 = 10;
  export const outcome: i32 = 11;
  export const unknownReason: i32 = 12;
  export const reward: i32 = 13;
  export const components: i32 = 14;
  export const stopReason: i32 = 15;
  export const tokens: i32 = 16;
  export const logprobMean: i32 = 17;
  export const policy: i32 = 18;
  export const harness: i32 = 19;
  export const seed: i32 = 20;
  export const startedAt: i32 = 21;
  export const durationMs: i32 = 22;
  export const extra: i32 = 23;
}

/** Columns of the table `turns`, in its order. */
export namespace Turns {
  export const rid: i32 = turns;
  export const idx: i32 = turns + 1;
  export const role: i32 = turns + 2;
  export const text: i32 = turns + 3;
  export const tool: i32 = turns + 4;
  export const args: i32 = turns + 5;
  export const ok: i32 = turns + 6;
  export const tokens: i32 = turns + 7;
  export const ms: i32 = turns + 8;
}

/** Names and numbers of the components of all rows. */
export namespace Pairs {
  export const names: i32 = pairs;
  export const values: i32 = pairs + 1;
}

const columnsAt: usize = (__heap_base + 63) & ~63;
const afterColumns: usize = columnsAt + ((<usize>columnCount * offsetof<Column>() + 63) & ~63);
/** The block of lines. */
export const block: usize = afterColumns;
let free: usize = block + blockBytes + slack;

export function column(index: i32): Column {
  return changetype<Column>(columnsAt + <usize>index * offsetof<Column>());
}

/** Whether the texts of a column, of those from `first` to before `last`, leave no room for another line. */
export function isFull(first: i32, last: i32): bool {
  for (let i = first; i < last; i++) {
    const c = column(i);
    if (c.used >= c.most && c.most != 0) return true;
  }
  return false;
}

function take(bytes: usize): usize {
  const at = free;
  free += (bytes + slack + 63) & ~63;
  return at;
}

function lay(index: i32, rows: i32, width: i32, most: usize): void {
  const c = column(index);
  c.data = take(<usize>rows * width);
  c.valid = take(<usize>rows >> 3);
  c.most = most;
  c.used = c.end = 0;
  c.heap = most == 0 ? 0 : take(most + blockBytes);
}

const text: i32 = 16;
const few: usize = 1 << 18;

/** Lays out all columns and takes the memory. */
export function layOut(): void {
  for (let i: i32 = 0; i < columnCount; i++) {
    const isText =
      i == Rollouts.version ||
      i == Rollouts.id ||
      i == Rollouts.run ||
      i == Rollouts.item ||
      i == Rollouts.group ||
      i == Rollouts.unknownReason ||
      i == Rollouts.stopReason ||
      i == Rollouts.policy ||
      i == Rollouts.harness ||
      i == Rollouts.startedAt ||
      i == Rollouts.extra ||
      i == Turns.role ||
      i == Turns.text ||
      i == Turns.tool ||
      i == Turns.args ||
      i == Pairs.names;
    const rows = i < pairs ? chunkRows : chunkPairs;
    const isByte = i == Rollouts.split || i == Rollouts.outcome || i == Turns.ok;
    const width = isText || i == Rollouts.components ? text : isByte ? 1 : 8;
    const most: usize = !isText
      ? 0
      : i == Turns.text
        ? blockBytes
        : i == Turns.args || i == Rollouts.extra
          ? 4 * few
          : few;
    lay(i, rows, width, most);
  }
  const pages = <i32>((free + 0xffff) >> 16) - memory.size();
  if (pages > 0 && memory.grow(pages) < 0) unreachable();
  for (let i: i32 = 0; i < columnCount; i++)
    memory.fill(column(i).valid, 0xff, <usize>(i < pairs ? chunkRows : chunkPairs) >> 3);
}

/** Makes the rows of the line that was read part of the chunk. */
export function keepTexts(): void {
  for (let i: i32 = 0; i < columnCount; i++) {
    const c = column(i);
    c.used = c.end;
  }
}

/** Forgets what was read of a line. */
export function dropTexts(): void {
  for (let i: i32 = 0; i < columnCount; i++) {
    const c = column(i);
    c.end = c.used;
  }
}

/** Forgets the texts of the columns from `first` to before `last`. */
export function clearTexts(first: i32, last: i32): void {
  for (let i = first; i < last; i++) {
    const c = column(i);
    c.used = c.end = 0;
  }
}

/** Notes whether a row of a column has a value. */
export function setValid(c: Column, row: i32, has: bool): void {
  const at = c.valid + (<usize>row >> 3);
  const bit: u32 = 1 << (row & 7);
  const bits = load<u8>(at);
  store<u8>(at, has ? bits | bit : bits & ~bit);
}
