/** Features are all 0 or 1; an encoding lists the ones that are 1. */
export type Active = readonly number[];

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
  encode(names: readonly string[]): number[] {
    const columns: number[] = [];
    for (const name of names) {
      const column = this.index.get(name);
      if (column !== undefined) columns.push(column);
    }
    return columns;
  }

  /** Adds the columns of the names whose claim is true. */
  flag(columns: number[], claims: Readonly<Record<string, boolean>>): number[] {
    for (const name in claims) {
      const column = claims[name] === true ? this.index.get(name) : undefined;
      if (column !== undefined) columns.push(column);
    }
    return columns;
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

/** The names whose claim is true. */
export const flags = (...pairs: readonly (readonly [boolean, string])[]): string[] =>
  pairs.flatMap(([on, name]) => (on ? [name] : []));
