import type { DuckDBConnection, DuckDBDataChunk, DuckDBType } from "@duckdb/node-api";
import { makeColumn } from "./columns.ts";
import type { Store } from "./database.ts";
import { loadBindings } from "../base/loadDuckDb.ts";
import { chunkRows, type Cell, type Column, type Pairs } from "./nativeValues.ts";

/** Column types of the archive's tables, read once per open archive. */
const knownTypes = new WeakMap<Store, Map<string, readonly DuckDBType[]>>();

async function typesOf(store: Store, table: string): Promise<readonly DuckDBType[]> {
  const known = knownTypes.get(store) ?? new Map<string, readonly DuckDBType[]>();
  knownTypes.set(store, known);
  const found = known.get(table);
  if (found !== undefined) return found;
  return store.write(async (connection) => {
    const appender = await connection.createAppender(table);
    const types = Array.from({ length: appender.columnCount }, (_, i) => appender.columnType(i));
    appender.closeSync();
    known.set(table, types);
    return types;
  });
}

/**
 * Rows on their way into a table, kept as native column chunks: the parsed objects can go at once, and a transaction
 * only has to hand the chunks over.
 */
export class TableBuffer {
  readonly #table: string;
  readonly #types: readonly DuckDBType[];
  readonly #columns: readonly Column[];
  #rows = 0;
  #at = 0;
  readonly #newChunk: () => DuckDBDataChunk;
  #full: DuckDBDataChunk[] = [];
  readonly #spare: DuckDBDataChunk[] = [];

  static async open(store: Store, table: string): Promise<TableBuffer> {
    return new TableBuffer(store, table, await typesOf(store, table));
  }

  private constructor(store: Store, table: string, types: readonly DuckDBType[]) {
    this.#table = table;
    this.#types = types;
    const bindings = loadBindings();
    this.#columns = types.map((type) => makeColumn(store.duckdb, bindings, type));
    this.#newChunk = () => store.duckdb.DuckDBDataChunk.create(this.#types);
  }

  /** One value per column, in the order of the table. */
  add(values: readonly Cell[]): void {
    for (let i = 0; i < values.length; i++) this.#columns[i]?.add(values[i] ?? null);
    if (++this.#rows === chunkRows) this.#fill();
  }

  /** The value of the next column of a row that is given column by column. */
  next(value: Cell): void {
    this.#columns[this.#at++]?.add(value);
  }

  /** The same for a text that lies in a part of a buffer as UTF-8. */
  nextBytes(bytes: Buffer, start: number, end: number): void {
    this.#columns[this.#at++]?.addBytes(bytes, start, end);
  }

  /** The same for a map. */
  nextPairs(bytes: Buffer, pairs: Pairs): void {
    this.#columns[this.#at++]?.addPairs(bytes, pairs);
  }

  /** Ends a row that was given column by column. */
  endRow(): void {
    if (this.#at !== this.#columns.length)
      throw new Error(`A row of ${this.#table} has ${this.#at} of ${this.#columns.length} columns.`);
    this.#at = 0;
    if (++this.#rows === chunkRows) this.#fill();
  }

  /** Appends all rows inside the connection's transaction. */
  async appendTo(connection: DuckDBConnection): Promise<void> {
    if (this.#rows > 0) this.#fill();
    if (this.#full.length === 0) return;
    const appender = await connection.createAppender(this.#table);
    for (const chunk of this.#full) appender.appendDataChunk(chunk);
    appender.closeSync();
  }

  /** Forgets the rows and keeps the memory of the chunks for the next ones. */
  clear(): void {
    for (const column of this.#columns) column.clear();
    this.#rows = 0;
    for (const chunk of this.#full) {
      chunk.reset();
      this.#spare.push(chunk);
    }
    this.#full = [];
  }

  #fill(): void {
    const chunk = this.#spare.pop() ?? this.#newChunk();
    chunk.rowCount = this.#rows;
    this.#columns.forEach((column, i) => {
      column.moveTo(chunk, i);
    });
    // Setting the count drops the chunk's cache of the values, which would keep them alive until the commit.
    chunk.rowCount = this.#rows;
    this.#rows = 0;
    this.#full.push(chunk);
  }
}
