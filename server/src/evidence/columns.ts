import type * as DuckDb from "@duckdb/node-api";
import type { DuckDBDataChunk, DuckDBType, DuckDBValue } from "@duckdb/node-api";
import type * as Bindings from "@duckdb/node-bindings";

/** A value on its way into a column; whole numbers may come as numbers, the other values as the library's. */
export type Cell = number | DuckDBValue;

/** Values on their way into one column of a chunk. */
export interface Column {
  add(value: Cell): void;
  /** Puts the values into a chunk whose row count is set, and forgets them. */
  moveTo(chunk: DuckDBDataChunk, index: number): void;
  clear(): void;
}

/** Rows of a full chunk. */
export const chunkRows = 2048;

/**
 * The column for a type. Scalars and text are laid out here as the engine's C interface defines its vectors (duckdb.h)
 * and cross into the library in one copy per chunk; its own setters cross once per value, which took half of an
 * ingest. Other types go through those setters.
 */
export function makeColumn(
  { DuckDBTypeId }: typeof DuckDb,
  bindings: typeof Bindings,
  type: DuckDBType,
): Column {
  if (type.typeId === DuckDBTypeId.VARCHAR) return new TextColumn(bindings);
  if (type.typeId === DuckDBTypeId.BIGINT) {
    const values = new BigInt64Array(chunkRows);
    return new FixedColumn(bindings, values, (row, value) => (values[row] = BigInt(Number(value))));
  }
  if (type.typeId === DuckDBTypeId.DOUBLE) {
    const values = new Float64Array(chunkRows);
    return new FixedColumn(bindings, values, (row, value) => (values[row] = Number(value)));
  }
  if (type.typeId === DuckDBTypeId.BOOLEAN) {
    const values = new Uint8Array(chunkRows);
    return new FixedColumn(bindings, values, (row, value) => (values[row] = value === true ? 1 : 0));
  }
  return new OtherColumn();
}

/** Which rows have a value: one bit per row, the first row in the lowest bit. */
class Validity {
  readonly #bits = new Uint8Array(chunkRows / 8).fill(0xff);
  #whole = true;

  missing(row: number): void {
    this.#bits[row >> 3] = (this.#bits[row >> 3] ?? 0) & ~(1 << (row & 7));
    this.#whole = false;
  }

  moveTo(bindings: typeof Bindings, vector: Bindings.Vector): void {
    if (this.#whole) return;
    bindings.vector_ensure_validity_writable(vector);
    bindings.copy_data_to_vector_validity(vector, 0, this.#bits.buffer, 0, this.#bits.byteLength);
    this.clear();
  }

  clear(): void {
    if (!this.#whole) this.#bits.fill(0xff);
    this.#whole = true;
  }
}

/** Values of a fixed size, side by side. */
class FixedColumn implements Column {
  readonly #bindings: typeof Bindings;
  readonly #values: BigInt64Array<ArrayBuffer> | Float64Array<ArrayBuffer> | Uint8Array<ArrayBuffer>;
  readonly #set: (row: number, value: Cell) => void;
  readonly #validity = new Validity();
  #rows = 0;

  constructor(
    bindings: typeof Bindings,
    values: BigInt64Array<ArrayBuffer> | Float64Array<ArrayBuffer> | Uint8Array<ArrayBuffer>,
    set: (row: number, value: Cell) => void,
  ) {
    this.#bindings = bindings;
    this.#values = values;
    this.#set = set;
  }

  add(value: Cell): void {
    if (value === null) this.#validity.missing(this.#rows);
    else this.#set(this.#rows, value);
    this.#rows++;
  }

  moveTo(chunk: DuckDBDataChunk, index: number): void {
    const vector = this.#bindings.data_chunk_get_vector(chunk.chunk, index);
    const { buffer, BYTES_PER_ELEMENT } = this.#values;
    this.#bindings.copy_data_to_vector(vector, 0, buffer, 0, this.#rows * BYTES_PER_ELEMENT);
    this.#validity.moveTo(this.#bindings, vector);
    this.#rows = 0;
  }

  clear(): void {
    this.#rows = 0;
    this.#validity.clear();
  }
}

/** A string in a vector: 4 bytes of length, then up to 12 bytes of text, or a pointer that only the engine may set. */
const slotBytes = 16;
const shortBytes = 12;

/** Text: short ASCII is laid out here, anything else is handed to the engine string by string. */
class TextColumn implements Column {
  readonly #bindings: typeof Bindings;
  readonly #slots = new Uint8Array(chunkRows * slotBytes);
  readonly #validity = new Validity();
  #long: string[] = [];
  #longRows: number[] = [];
  #rows = 0;

  constructor(bindings: typeof Bindings) {
    this.#bindings = bindings;
  }

  add(value: Cell): void {
    const row = this.#rows++;
    if (value === null) this.#validity.missing(row);
    else if (typeof value !== "string") throw new Error(`A text column got a ${typeof value}.`);
    else if (!this.#addShort(row, value)) {
      this.#long.push(value);
      this.#longRows.push(row);
    }
  }

  #addShort(row: number, text: string): boolean {
    const { length } = text;
    if (length > shortBytes) return false;
    const at = row * slotBytes;
    const slots = this.#slots;
    for (let i = 0; i < length; i++) {
      const code = text.charCodeAt(i);
      if (code > 0x7f) return false;
      slots[at + 4 + i] = code;
    }
    // The engine compares short strings as whole slots, so that what is behind the text has to be zero.
    for (let i = length; i < shortBytes; i++) slots[at + 4 + i] = 0;
    slots[at] = length;
    return true;
  }

  moveTo(chunk: DuckDBDataChunk, index: number): void {
    const vector = this.#bindings.data_chunk_get_vector(chunk.chunk, index);
    this.#bindings.copy_data_to_vector(vector, 0, this.#slots.buffer, 0, this.#rows * slotBytes);
    for (let i = 0; i < this.#long.length; i++)
      this.#bindings.vector_assign_string_element(vector, this.#longRows[i] ?? 0, this.#long[i] ?? "");
    this.#validity.moveTo(this.#bindings, vector);
    this.clear();
  }

  clear(): void {
    this.#rows = 0;
    this.#long = [];
    this.#longRows = [];
    this.#validity.clear();
  }
}

/** Maps and lists, through the library's own setters. */
class OtherColumn implements Column {
  #values: DuckDBValue[] = [];

  add(value: Cell): void {
    this.#values.push(value);
  }

  moveTo(chunk: DuckDBDataChunk, index: number): void {
    chunk.setColumnValues(index, this.#values);
    this.#values = [];
  }

  clear(): void {
    this.#values = [];
  }
}
