import type { DuckDBConnection } from "@duckdb/node-api";
import { HarnessError } from "../../base/errors.ts";

/** Milliseconds between two interrupts of what has not ended. */
const patience = 5;

/**
 * Runs a query that the engine gives up, within some vectors of rows, when the signal is aborted.
 * @throws HarnessError cancelled
 */
export async function interruptible<T>(
  connection: DuckDBConnection,
  signal: AbortSignal | undefined,
  run: () => Promise<T>,
): Promise<T> {
  if (signal === undefined) return run();
  assertWanted(signal);
  const release = interruptOn(connection, signal);
  try {
    return await run();
  } catch (e) {
    assertWanted(signal);
    throw e;
  } finally {
    release();
  }
}

/** Interrupts a connection from when the signal is aborted until it is released. */
export function interruptOn(connection: DuckDBConnection, signal: AbortSignal): () => void {
  let again: NodeJS.Timeout | undefined;
  const interrupt = (): void => {
    connection.interrupt();
    // The engine forgets an interrupt that comes while it plans.
    again ??= setInterval(() => {
      connection.interrupt();
    }, patience);
  };
  signal.addEventListener("abort", interrupt);
  return () => {
    signal.removeEventListener("abort", interrupt);
    clearInterval(again);
  };
}

/** @throws HarnessError cancelled */
export function assertWanted(signal: AbortSignal): void {
  if (signal.aborted) throw new HarnessError("cancelled", "The query was cancelled.");
}
