import type { DuckDBConnection, DuckDBDataChunk, DuckDBType } from "@duckdb/node-api";
import type * as Bindings from "@duckdb/node-bindings";
import { makeColumn } from "./columns.ts";
import type { Store } from "./database.ts";
import { loadBindings } from "../../base/loadDuckDb.ts";
import { chunkRows, type Cell, type Column } from "../scan/nativeValues.ts";

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
  }, []);
}

/**
 * Rows on their way into a table, kept as native column chunks: the parsed objects can go at once, and a transaction
 * only has to hand the chunks over.
 */
export class TableBuffer {
  readonly #table: string;
  readonly #types: readonly DuckDBType[];
  readonly #bindings = loadBindings();
  readonly #columns: readonly Column[];
  #rows = 0;
  readonly #newChunk: () => DuckDBDataChunk;
  #full: DuckDBDataChunk[] = [];
  readonly #spare: DuckDBDataChunk[] = [];

  static async open(store: Store, table: string): Promise<TableBuffer> {
    return new TableBuffer(store, table, await typesOf(store, table));
  }

  private constructor(store: Store, table: string, types: readonly DuckDBType[]) {
    this.#table = table;
    this.#types = types;
    this.#columns = types.map((type) => makeColumn(store.duckdb, this.#bindings, type));
    this.#newChunk = () => store.duckdb.DuckDBDataChunk.create(this.#types);
  }

  /** One value per column, in the order of the table. */
  add(values: readonly Cell[]): void {
    for (let i = 0; i < values.length; i++) this.#columns[i]?.add(values[i] ?? null);
    if (++this.#rows === chunkRows) this.#fill();
  }

  /** Takes rows in that `fill` puts into a chunk. */
  addChunk(rows: number, fill: (bindings: typeof Bindings, chunk: DuckDBDataChunk) => void): void {
    const chunk = this.#spare.pop() ?? this.#newChunk();
    chunk.rowCount = rows;
    fill(this.#bindings, chunk);
    // Setting the count drops the chunk's cache of the values, which would keep them alive until the commit.
    chunk.rowCount = rows;
    this.#full.push(chunk);
  }

  /** Appends all rows inside the connection's transaction, and forgets them. */
  async appendTo(connection: DuckDBConnection): Promise<void> {
    if (this.#rows > 0) this.#fill();
    if (this.#full.length === 0) return;
    const appender = await connection.createAppender(this.#table);
    const chunks = this.#full;
    this.#full = [];
    for (const chunk of chunks) {
      appender.appendDataChunk(chunk);
      // At once, and so not held twice: flushing it with the others is no faster.
      appender.flushSync();
      this.#keep(chunk);
    }
    appender.closeSync();
  }

  /** Forgets the rows and keeps the memory of the chunks for the next ones. */
  clear(): void {
    for (const column of this.#columns) column.clear();
    this.#rows = 0;
    for (const chunk of this.#full) this.#keep(chunk);
    this.#full = [];
  }

  #keep(chunk: DuckDBDataChunk): void {
    chunk.reset();
    this.#spare.push(chunk);
  }

  #fill(): void {
    this.addChunk(this.#rows, (_, chunk) => {
      this.#columns.forEach((column, i) => {
        column.moveTo(chunk, i);
      });
    });
    this.#rows = 0;
  }
}
