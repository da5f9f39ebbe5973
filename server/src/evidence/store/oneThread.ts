import type { DuckDBConnection } from "@duckdb/node-api";
import { messageOf } from "../../base/errors.ts";
import type { Log } from "../../base/log.ts";

/**
 * Runs `work`, which appends many rows, while the engine has one thread, and gives it back its `threads`: who appends
 * waits busily for the other threads, which took a quarter of an ingest, and they were no faster than one alone.
 * @param connection one that is in no transaction
 */
export async function withOneThread<T>(
  { connection, threads, log }: { connection: DuckDBConnection; threads: number; log: Log },
  work: () => Promise<T>,
): Promise<T> {
  await connection.run("SET threads = 1");
  try {
    return await work();
  } finally {
    // An engine that cannot do this any more has failed at the work already, which says why.
    await connection.run(`SET threads = ${threads}`).catch((e: unknown) => {
      log.warn("evidence", "the engine keeps one thread", { reason: messageOf(e) });
    });
  }
}
