import type {
  DuckDBAppender,
  DuckDBConnection,
  DuckDBDataChunk,
  DuckDBType,
  DuckDBValue,
} from "@duckdb/node-api";
import type { Store } from "./database.ts";

const chunkRows = 2048;

/** Appends rows to a table column by column, inside the connection's transaction. */
export class TableWriter {
  readonly #appender: DuckDBAppender;
  readonly #types: readonly DuckDBType[];
  readonly #columns: DuckDBValue[][];
  readonly #makeChunk: (types: readonly DuckDBType[]) => DuckDBDataChunk;

  static async open(store: Store, connection: DuckDBConnection, table: string): Promise<TableWriter> {
    return new TableWriter(store, await connection.createAppender(table));
  }

  private constructor(store: Store, appender: DuckDBAppender) {
    this.#appender = appender;
    this.#types = Array.from({ length: appender.columnCount }, (_, i) => appender.columnType(i));
    this.#columns = this.#types.map(() => []);
    this.#makeChunk = (types) => store.duckdb.DuckDBDataChunk.create(types);
  }

  /** One value per column, in the order of the table; integers as bigint. */
  add(values: readonly DuckDBValue[]): void {
    for (let i = 0; i < values.length; i++) this.#columns[i]?.push(values[i] ?? null);
    if (this.#columns[0]?.length === chunkRows) this.#emit();
  }

  /** Hands everything to the transaction. Without it nothing of the last chunk is written. */
  close(): void {
    if (this.#columns[0]?.length !== 0) this.#emit();
    this.#appender.closeSync();
  }

  #emit(): void {
    const chunk = this.#makeChunk(this.#types);
    chunk.setColumns(this.#columns);
    this.#appender.appendDataChunk(chunk);
    for (const column of this.#columns) column.length = 0;
  }
}
