import type * as DuckDb from "@duckdb/node-api";
import type { DuckDBDataChunk, DuckDBType, DuckDBValue } from "@duckdb/node-api";
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

/**
 * The column for a type. Scalars, text and maps are laid out here as the engine's C interface defines its vectors
 * (duckdb.h) and cross into the library in one copy per chunk; its own setters cross once per value, which took a
 * quarter of an ingest, and a tenth when only the long texts did. Other types go through those setters.
 */
export function makeColumn(
  { DuckDBTypeId }: typeof DuckDb,
  bindings: typeof Bindings,
  type: DuckDBType,
): Column {
  const native = (values: NativeValues): Column => ({
    add: (value) => {
      values.add(value);
    },
    moveTo: (chunk, index) => {
      values.moveTo(bindings.data_chunk_get_vector(chunk.chunk, index));
    },
    clear: () => {
      values.clear();
    },
  });
  if (type.typeId === DuckDBTypeId.VARCHAR) return native(new TextValues(bindings));
  if (type.typeId === DuckDBTypeId.BIGINT) return native(new Integers(bindings));
  if (type.typeId === DuckDBTypeId.DOUBLE) return native(new Doubles(bindings));
  if (type.typeId === DuckDBTypeId.BOOLEAN) return native(new Booleans(bindings));
  if (type.typeId === DuckDBTypeId.MAP) return native(new Maps(bindings));
  return new LibraryColumn();
}

/** Values laid out as a vector of the engine. */
abstract class NativeValues {
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

  moveTo(vector: Bindings.Vector): void {
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

class Integers extends NativeValues {
  #values = new BigInt64Array(chunkRows);
  /** The same memory in halves, the lower one first: a bigint for every number would cost more than the rest. */
  #halves = new Int32Array(this.#values.buffer);

  protected set(row: number, value: Cell): void {
    if (row >= this.#values.length) {
      this.#values = grown(this.#values);
      this.#halves = new Int32Array(this.#values.buffer);
    }
    if (typeof value === "number" && value === (value | 0)) {
      this.#halves[2 * row] = value;
      this.#halves[2 * row + 1] = value >> 31;
    } else this.#values[row] = typeof value === "bigint" ? value : BigInt(Number(value));
  }

  protected write(vector: Bindings.Vector): void {
    this.bindings.copy_data_to_vector(vector, 0, this.#values.buffer, 0, this.rows * 8);
  }
}

class Doubles extends NativeValues {
  #values = new Float64Array(chunkRows);

  protected set(row: number, value: Cell): void {
    if (row >= this.#values.length) this.#values = grown(this.#values);
    this.#values[row] = Number(value);
  }

  protected write(vector: Bindings.Vector): void {
    this.bindings.copy_data_to_vector(vector, 0, this.#values.buffer, 0, this.rows * 8);
  }
}

class Booleans extends NativeValues {
  #values = new Uint8Array(chunkRows);

  protected set(row: number, value: Cell): void {
    if (row >= this.#values.length) this.#values = grown(this.#values);
    this.#values[row] = value === true ? 1 : 0;
  }

  protected write(vector: Bindings.Vector): void {
    this.bindings.copy_data_to_vector(vector, 0, this.#values.buffer, 0, this.rows);
  }
}

/**
 * A string in a vector (duckdb_string_t): 4 bytes of length, then up to 12 bytes of text, or 4 bytes of it and the address
 * of all of it.
 */
const slotBytes = 16;
const slotWords = slotBytes / 4;
const shortBytes = 12;

/** What a column first takes for the long texts of a chunk, and the most that it keeps for the next one. */
const firstHeapBytes = 1 << 12;
const keptHeapBytes = 1 << 22;

/**
 * Texts. The bytes of all long ones of a chunk go to the engine as one string, which it copies to where the vector's
 * strings live; the slots then point into that copy.
 */
class TextValues extends NativeValues {
  #slots = new Uint8Array(chunkRows * slotBytes);
  #words = new Uint32Array(this.#slots.buffer);
  #heap = Buffer.alloc(0);
  #used = 0;
  /** Rows whose text is in the heap; until the heap has its address, their slots hold the place in it. */
  #long: number[] = [];
  #last = "";
  #lastRow = -1;

  protected set(row: number, value: Cell): void {
    if (typeof value !== "string") throw new Error(`A text column got a ${typeof value}.`);
    if ((row + 1) * slotBytes > this.#slots.length) {
      this.#slots = grown(this.#slots);
      this.#words = new Uint32Array(this.#slots.buffer);
    }
    if (value === this.#last && this.#lastRow >= 0) this.#repeat(row);
    else if (!this.#setShort(row * slotBytes, value)) this.#setLong(row, value);
    this.#last = value;
    this.#lastRow = row;
  }

  #repeat(row: number): void {
    const [words, to, from] = [this.#words, row * slotWords, this.#lastRow * slotWords];
    for (let i = 0; i < slotWords; i++) words[to + i] = words[from + i] ?? 0;
    if ((words[to] ?? 0) > shortBytes) this.#long.push(row);
  }

  #setShort(at: number, text: string): boolean {
    const { length } = text;
    if (length > shortBytes) return false;
    const slots = this.#slots;
    for (let i = 0; i < length; i++) {
      const code = text.charCodeAt(i);
      if (code > 0x7f) return false;
      slots[at + 4 + i] = code;
    }
    this.#endShort(at, length);
    return true;
  }

  #endShort(at: number, length: number): void {
    const slots = this.#slots;
    // The engine compares short strings as whole slots, so that what is behind the text has to be zero.
    for (let i = length; i < shortBytes; i++) slots[at + 4 + i] = 0;
    this.#words[at / 4] = length;
  }

  #setLong(row: number, text: string): void {
    const start = this.#used;
    this.#reserve(start + 3 * text.length);
    const length = this.#heap.write(text, start);
    const at = row * slotBytes;
    if (length <= shortBytes) {
      this.#slots.set(this.#heap.subarray(start, start + length), at + 4);
      this.#endShort(at, length);
      return;
    }
    const [words, word] = [this.#words, row * slotWords];
    words[word] = length;
    for (let i = 0; i < 4; i++) this.#slots[at + 4 + i] = this.#heap[start + i] ?? 0;
    words[word + 2] = start;
    this.#used = start + length;
    this.#long.push(row);
  }

  #reserve(bytes: number): void {
    if (bytes <= this.#heap.length) return;
    const larger = Buffer.allocUnsafe(Math.max(bytes, 2 * this.#heap.length, firstHeapBytes));
    larger.set(this.#heap.subarray(0, this.#used));
    this.#heap = larger;
  }

  protected write(vector: Bindings.Vector): void {
    if (this.#long.length > 0) this.#point(vector);
    this.bindings.copy_data_to_vector(vector, 0, this.#slots.buffer, 0, this.rows * slotBytes);
  }

  /** Hands the heap to the engine and sets the addresses of the long texts. */
  #point(vector: Bindings.Vector): void {
    this.bindings.vector_assign_string_element_len(vector, 0, this.#heap.subarray(0, this.#used));
    const slot = this.bindings.vector_get_data(vector, slotBytes);
    const address = new DataView(slot.buffer, slot.byteOffset, slotBytes).getBigUint64(8, true);
    const [low, high] = [Number(address & 0xffff_ffffn), Number(address >> 32n)];
    const words = this.#words;
    for (const row of this.#long) {
      const word = row * slotWords;
      const sum = low + (words[word + 2] ?? 0);
      words[word + 2] = sum;
      words[word + 3] = sum > 0xffff_ffff ? high + 1 : high;
    }
  }

  override clear(): void {
    super.clear();
    this.#long = [];
    this.#used = 0;
    this.#lastRow = -1;
    if (this.#heap.length > keptHeapBytes) this.#heap = Buffer.alloc(0);
  }
}

/** MAP(VARCHAR, DOUBLE): per row where its pairs begin and how many they are, and the pairs of all rows. */
class Maps extends NativeValues {
  #spans = new BigInt64Array(2 * chunkRows);
  readonly #keys: TextValues;
  readonly #values: Doubles;
  #pairs = 0;

  constructor(bindings: typeof Bindings) {
    super(bindings);
    this.#keys = new TextValues(bindings);
    this.#values = new Doubles(bindings);
  }

  protected set(row: number, value: Cell): void {
    if (!isNumbers(value)) throw new Error(`A map column got a ${typeof value}.`);
    if (2 * row >= this.#spans.length) this.#spans = grown(this.#spans);
    const first = this.#pairs;
    for (const name of Object.keys(value)) {
      this.#keys.add(name);
      this.#values.add(value[name] ?? null);
      this.#pairs++;
    }
    this.#spans[2 * row] = BigInt(first);
    this.#spans[2 * row + 1] = BigInt(this.#pairs - first);
  }

  protected write(vector: Bindings.Vector): void {
    const { bindings } = this;
    bindings.copy_data_to_vector(vector, 0, this.#spans.buffer, 0, this.rows * 16);
    bindings.list_vector_reserve(vector, this.#pairs);
    bindings.list_vector_set_size(vector, this.#pairs);
    const pairs = bindings.list_vector_get_child(vector);
    this.#keys.moveTo(bindings.struct_vector_get_child(pairs, 0));
    this.#values.moveTo(bindings.struct_vector_get_child(pairs, 1));
  }

  override clear(): void {
    super.clear();
    this.#pairs = 0;
    this.#keys.clear();
    this.#values.clear();
  }
}

const isNumbers = (value: Cell): value is Numbers => typeof value === "object" && value !== null;

/** The same values with as much room again, filled with `filler`. */
function grown(values: Uint8Array<ArrayBuffer>, filler?: number): Uint8Array<ArrayBuffer>;
function grown(values: Float64Array<ArrayBuffer>): Float64Array<ArrayBuffer>;
function grown(values: BigInt64Array<ArrayBuffer>): BigInt64Array<ArrayBuffer>;
function grown(
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

/** Lists, through the library's own setters. */
class LibraryColumn implements Column {
  #values: DuckDBValue[] = [];

  add(value: Cell): void {
    if (isLibraryValue(value)) this.#values.push(value);
    else throw new Error(`A column of lists got a ${typeof value}.`);
  }

  moveTo(chunk: DuckDBDataChunk, index: number): void {
    chunk.setColumnValues(index, this.#values);
    this.#values = [];
  }

  clear(): void {
    this.#values = [];
  }
}

/** Of objects, the library's values are instances of its classes. */
const isLibraryValue = (value: Cell): value is DuckDBValue =>
  typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype;
