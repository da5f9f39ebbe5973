import type { DuckDBDataChunk, DuckDBValue } from "@duckdb/node-api";
import type * as Bindings from "@duckdb/node-bindings";

/** The named numbers of a map column. */
export type Numbers = Readonly<Record<string, number>>;

/** A value on its way into a column: whole numbers as numbers or bigints, lists as the library's values. */
export type Cell = number | DuckDBValue | Numbers;

/** Values on their way into one column of a chunk. */
export interface Column {
  add(value: Cell): void;
  /** Puts the values into a chunk whose row count is set, and forgets them. */
  moveTo(chunk: DuckDBDataChunk, index: number): void;
  clear(): void;
}

/** Rows of a full chunk. */
export const chunkRows = 2048;

/** Values laid out as a vector of the engine. */
export abstract class NativeValues implements Column {
  protected readonly bindings: typeof Bindings;
  protected rows = 0;
  /** One bit per row, the first row in the lowest bit: whether it has a value. */
  #valid = new Uint8Array(chunkRows / 8).fill(0xff);
  #whole = true;

  constructor(bindings: typeof Bindings) {
    this.bindings = bindings;
  }

  add(value: Cell): void {
    const row = this.rows++;
    if (value !== null) this.set(row, value);
    else {
      this.#whole = false;
      while (row >> 3 >= this.#valid.length) this.#valid = grown(this.#valid, 0xff);
      this.#valid[row >> 3] = (this.#valid[row >> 3] ?? 0) & ~(1 << (row & 7));
    }
  }

  moveTo(chunk: DuckDBDataChunk, index: number): void {
    this.moveToVector(this.bindings.data_chunk_get_vector(chunk.chunk, index));
  }

  /** Puts the values into a vector with room for them, and forgets them. */
  moveToVector(vector: Bindings.Vector): void {
    this.write(vector);
    if (!this.#whole) {
      this.bindings.vector_ensure_validity_writable(vector);
      const bytes = Math.ceil(this.rows / 64) * 8;
      while (bytes > this.#valid.length) this.#valid = grown(this.#valid, 0xff);
      this.bindings.copy_data_to_vector_validity(vector, 0, this.#valid.buffer, 0, bytes);
    }
    this.clear();
  }

  clear(): void {
    this.rows = 0;
    if (!this.#whole) this.#valid.fill(0xff);
    this.#whole = true;
  }

  protected abstract set(row: number, value: Exclude<Cell, null>): void;
  protected abstract write(vector: Bindings.Vector): void;
}

/** The same values with as much room again, filled with `filler`. */
export function grown(values: Uint8Array<ArrayBuffer>, filler?: number): Uint8Array<ArrayBuffer>;
export function grown(values: Float64Array<ArrayBuffer>): Float64Array<ArrayBuffer>;
export function grown(values: BigInt64Array<ArrayBuffer>): BigInt64Array<ArrayBuffer>;
export function grown(
  values: Uint8Array<ArrayBuffer> | Float64Array<ArrayBuffer> | BigInt64Array<ArrayBuffer>,
  filler = 0,
): Uint8Array<ArrayBuffer> | Float64Array<ArrayBuffer> | BigInt64Array<ArrayBuffer> {
  const size = 2 * values.length;
  if (values instanceof BigInt64Array) {
    const larger = new BigInt64Array(size);
    larger.set(values);
    return larger;
  }
  const larger = values instanceof Float64Array ? new Float64Array(size) : new Uint8Array(size).fill(filler);
  larger.set(values);
  return larger;
}
