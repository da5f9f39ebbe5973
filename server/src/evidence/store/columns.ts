import type * as DuckDb from "@duckdb/node-api";
import type { DuckDBDataChunk, DuckDBType, DuckDBValue } from "@duckdb/node-api";
import type * as Bindings from "@duckdb/node-bindings";
import {
  chunkRows,
  grown,
  NativeValues,
  type Cell,
  type Column,
  type Numbers,
} from "../scan/nativeValues.ts";
import { TextValues } from "../scan/textValues.ts";

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
  if (type.typeId === DuckDBTypeId.VARCHAR) return new TextValues(bindings);
  if (type.typeId === DuckDBTypeId.BIGINT) return new Integers(bindings);
  if (type.typeId === DuckDBTypeId.DOUBLE) return new Doubles(bindings);
  if (type.typeId === DuckDBTypeId.BOOLEAN) return new Booleans(bindings);
  if (type.typeId === DuckDBTypeId.MAP) return new Maps(bindings);
  if (type.typeId === DuckDBTypeId.ENUM) return new Choices(bindings, type.values);
  return new LibraryColumn();
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

/** ENUM of at most 255 texts: the place of a value among them. */
class Choices extends NativeValues {
  #values = new Uint8Array(chunkRows);
  readonly #places: ReadonlyMap<Cell, number>;

  constructor(bindings: typeof Bindings, texts: readonly string[]) {
    super(bindings);
    if (texts.length > 0xff) throw new Error("A column of choices has too many of them for a byte each.");
    this.#places = new Map(texts.map((text, place) => [text, place]));
  }

  protected set(row: number, value: Cell): void {
    const place = this.#places.get(value);
    if (place === undefined) throw new Error(`A column of choices got ${JSON.stringify(value)}.`);
    if (row >= this.#values.length) this.#values = grown(this.#values);
    this.#values[row] = place;
  }

  protected write(vector: Bindings.Vector): void {
    this.bindings.copy_data_to_vector(vector, 0, this.#values.buffer, 0, this.rows);
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
    this.#setSpan(row, first);
  }

  #setSpan(row: number, first: number): void {
    this.#spans[2 * row] = BigInt(first);
    this.#spans[2 * row + 1] = BigInt(this.#pairs - first);
  }

  protected write(vector: Bindings.Vector): void {
    const { bindings } = this;
    bindings.copy_data_to_vector(vector, 0, this.#spans.buffer, 0, this.rows * 16);
    bindings.list_vector_reserve(vector, this.#pairs);
    bindings.list_vector_set_size(vector, this.#pairs);
    const pairs = bindings.list_vector_get_child(vector);
    this.#keys.moveToVector(bindings.struct_vector_get_child(pairs, 0));
    this.#values.moveToVector(bindings.struct_vector_get_child(pairs, 1));
  }

  override clear(): void {
    super.clear();
    this.#pairs = 0;
    this.#keys.clear();
    this.#values.clear();
  }
}

const isNumbers = (value: Cell): value is Numbers => typeof value === "object" && value !== null;

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
