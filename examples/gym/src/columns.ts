import { remember } from "./remember.ts";
import { elementOf, type SparseRows } from "./matrix.ts";

/** Features are all 0 or 1; an encoding lists the columns of those that are 1, ascending and each once. */
export type Active = readonly number[];

/** Many encodings, one after the other. */
export function sparseRows(rows: readonly Active[]): SparseRows {
  const starts = new Int32Array(rows.length + 1);
  let total = 0;
  rows.forEach(({ length }, r) => (starts[r + 1] = total += length));
  const columns = new Int32Array(total);
  let next = 0;
  for (const row of rows) for (const column of row) columns[next++] = column;
  return { starts, columns };
}

/** Gives every named feature a column. */
export class Columns {
  private readonly index = new Map<string, number>();

  constructor(names: readonly string[]) {
    for (const name of names) this.index.set(name, this.index.size);
  }

  /** Number of columns, rounded up to the width that the matrix kernel wants. */
  get width(): number {
    return Math.ceil(this.index.size / 8) * 8;
  }

  /** The columns of the names that exist. */
  encode(names: readonly string[]): Active {
    return this.with([], names);
  }

  /** These columns, and those of the names. */
  with(to: Active, names: readonly string[]): Active {
    const columns = [...to];
    for (const name of names) this.#put(columns, name);
    return columns;
  }

  /** Names come nearly in the order of their columns, so that a place is near the end. */
  #put(columns: number[], name: string): void {
    const column = this.index.get(name);
    if (column === undefined) return;
    let at = columns.length;
    while (at > 0 && elementOf(columns, at - 1) > column) at--;
    if (at > 0 && columns[at - 1] === column) return;
    if (at === columns.length) columns.push(column);
    else columns.splice(at, 0, column);
  }
}

/** Names for counts from 0 to `count` - 1. */
export const range = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, i) => `${prefix}${i}`);

const buckets = new Map<string, readonly string[]>();

/** The name of a count's bucket; the last one holds everything from `most` on. */
export function bucket(prefix: string, value: number, most: number): string {
  let names = buckets.get(prefix);
  if (names === undefined) buckets.set(prefix, (names = range(prefix, most + 1)));
  return names[Math.min(value, most)] ?? "";
}

/** The name if the claim is true, and otherwise a name that no column has. */
export const when = (claim: boolean, name: string): string => (claim ? name : "");

/** Encodings of things that differ in a few claims as well: `of(thing, claims)`, the claims in the order of their names. */
export function claiming<K extends object>(
  columns: Columns,
  base: (thing: K) => Active,
  names: readonly string[],
): (thing: K, claims: readonly boolean[]) => Active {
  // Few combinations of claims are ever true of one thing, and many rollouts meet it.
  const known = remember((_thing: K) => new Map<number, Active>());
  return (thing, claims) => {
    const encodings = known(thing);
    const key = claims.reduce((bits, claim) => bits * 2 + (claim ? 1 : 0), 1);
    let encoding = encodings.get(key);
    if (encoding === undefined) {
      encoding = columns.with(
        base(thing),
        names.filter((_, i) => claims[i] === true),
      );
      encodings.set(key, encoding);
    }
    return encoding;
  };
}
