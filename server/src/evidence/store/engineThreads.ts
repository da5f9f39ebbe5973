import { availableParallelism } from "node:os";
import type { DuckDBConnection } from "@duckdb/node-api";
import { messageOf } from "../../base/errors.ts";
import type { Log } from "../../base/log.ts";
import { rowGroupSize } from "./tables.ts";

/** After how many transactions the size of a small archive is looked at again. */
const lookEvery = 16;

/** Rows that one thread gets through in a tenth of a second: a statement on fewer takes longer to plan than to run. */
const fewRows = 4 * rowGroupSize;

/** Threads of a large archive. */
export const threadsOf = ({ threads }: { readonly threads?: number }): number =>
  threads ?? Math.min(4, availableParallelism());

/**
 * How many threads the engine has. It shares out row groups, so in an archive whose tables have few each there is little to
 * share, and threads that look for work took a sixth of the processor time of a small evolution.
 */
export class EngineThreads {
  readonly #connection: DuckDBConnection;
  readonly #most: number;
  readonly #log: Log;
  #now: number;
  #isLarge = false;
  #commits = 0;

  /** @param parts connection: one that is in no transaction and whose default database is the archive; most: threads of a large archive */
  constructor({ connection, most, log }: { connection: DuckDBConnection; most: number; log: Log }) {
    this.#connection = connection;
    this.#most = most;
    this.#log = log;
    this.#now = most;
  }

  /** Gives the engine the threads that suit the archive's size. */
  async fit(): Promise<void> {
    if (!this.#isLarge) {
      const sql = `SELECT max(estimated_size) > ${fewRows} FROM duckdb_tables() WHERE database_name = 'archive'`;
      this.#isLarge = (await this.#connection.runAndReadAll(sql)).getRows()[0]?.[0] === true;
    }
    await this.#set(this.#isLarge ? this.#most : 1);
  }

  /** To be called after each transaction: many small ones make an archive large too. */
  async committed(): Promise<void> {
    this.#commits++;
    if (!this.#isLarge && this.#commits % lookEvery === 0) await this.#fitAfterWork();
  }

  /**
   * Runs `work`, which appends many rows, while the engine has one thread: who appends waits busily for the others, which
   * took a quarter of an ingest, and they were no faster than one alone.
   */
  async alone<T>(work: () => Promise<T>): Promise<T> {
    await this.#set(1);
    try {
      return await work();
    } finally {
      await this.#fitAfterWork();
    }
  }

  /** The work is done, or has failed and says why: an engine that cannot do this any more is noticed by who uses it next. */
  async #fitAfterWork(): Promise<void> {
    await this.fit().catch((e: unknown) => {
      this.#log.warn("evidence", "the engine keeps one thread", { reason: messageOf(e) });
    });
  }

  async #set(threads: number): Promise<void> {
    if (threads === this.#now) return;
    await this.#connection.run(`SET threads = ${threads}`);
    this.#now = threads;
  }
}
