import { totalmem } from "node:os";
import type { DuckDBConnection } from "@duckdb/node-api";

/** What may stay. */
const keptMb = 64;

/** How much memory the engine may take, in MB. */
export const memoryLimitOf = ({ memoryLimitMb }: { readonly memoryLimitMb?: number }): number =>
  memoryLimitMb ?? Math.max(512, Math.min(4096, Math.floor(totalmem() / 4 / 2 ** 20)));

/**
 * Takes from the engine what it keeps in memory of blocks it wrote, down to 64 MB: it keeps most of them until its limit
 * is reached, so that the memory of an import grew with the file. Nothing else may run meanwhile, because the limit is
 * lowered for a moment.
 */
export async function trimCache(connection: DuckDBConnection, memoryLimitMb: number): Promise<void> {
  try {
    await connection.run(`SET memory_limit = '${Math.min(keptMb, memoryLimitMb)}MB'`);
  } catch {
    // More than that is in use: it stays as it is.
  }
  await connection.run(`SET memory_limit = '${memoryLimitMb}MB'`);
}
