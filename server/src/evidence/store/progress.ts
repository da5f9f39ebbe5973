import type { DuckDBConnection, DuckDBPreparedStatement } from "@duckdb/node-api";
import type { FileHandle } from "node:fs/promises";
import { HarnessError } from "../../base/errors.ts";
import type { Store } from "./database.ts";
import { numberOf } from "./rows.ts";
import { fingerprintOf, type Source } from "./sources.ts";

/** How far a file is in the tables: `consumed` may lie behind what its row in `sources` tells, which is `saved`. */
export interface Reached extends Source {
  readonly saved: number;
}

/** Bytes of a file after which its row in `sources` is written again. */
const savedEvery = 1024 * 1024;

/**
 * Whether how far a file is has to be written down with these bytes. A file that grows by a line at a time would
 * otherwise pay for that row with every line; what lies behind it is found again by `reachedIn`.
 */
export function isDue(reached: Reached, end: number, final: boolean): boolean {
  return final || reached.saved === 0 || end - reached.saved >= savedEvery;
}

const prepared = new WeakMap<DuckDBConnection, DuckDBPreparedStatement>();

/** Writes down how far a file is, in the connection's transaction. */
export async function saveProgress(
  connection: DuckDBConnection,
  { source, consumed, lines, fingerprint }: Pick<Source, "source" | "consumed" | "lines" | "fingerprint">,
): Promise<void> {
  const statement =
    prepared.get(connection) ??
    (await connection.prepare(
      "UPDATE sources SET consumed = ?, lines = ?, fingerprint = ? WHERE source = ?",
    ));
  prepared.set(connection, statement);
  statement.bindBigInt(1, BigInt(consumed));
  statement.bindBigInt(2, BigInt(lines));
  statement.bindVarchar(3, fingerprint);
  statement.bindBigInt(4, source);
  await statement.run();
}

/**
 * How far a file really is in the tables: whatever a line holds is written with the line's number in one transaction, so
 * the last of these is where reading goes on, also when that was not written down. Lines behind it that hold nothing to
 * keep are read once more.
 * @throws HarnessError badInput when the file ends before that line
 */
export async function reachedIn(
  store: Store,
  file: FileHandle,
  source: Source,
  path: string,
): Promise<Reached> {
  const [row = {}] = await store.query({
    sql: `SELECT coalesce(max(line), 0)::BIGINT AS last FROM (
            SELECT line FROM rollouts WHERE source = $1 UNION ALL
            SELECT line FROM metrics WHERE source = $1 UNION ALL
            SELECT line FROM quarantine WHERE source = $1)`,
    params: [source.source],
  });
  const lines = numberOf(row, "last");
  const saved = source.consumed;
  if (lines <= source.lines) return { ...source, saved };
  const consumed = await endOfLine(file, saved, lines - source.lines);
  if (consumed === undefined)
    throw new HarnessError(
      "badInput",
      `${path} was truncated: its line ${lines} is already in the archive, but the file ends before it; evidence files only grow: write a new file, or rebuild the archive.`,
    );
  return { ...source, consumed, lines, fingerprint: await fingerprintOf(file, consumed), saved };
}

/** Where in a file the given number of lines end that begin at an offset. */
async function endOfLine(file: FileHandle, from: number, lines: number): Promise<number | undefined> {
  const memory = Buffer.allocUnsafe(64 * 1024);
  let left = lines;
  for (let position = from; ;) {
    const { bytesRead } = await file.read(memory, 0, memory.length, position);
    if (bytesRead === 0) return undefined;
    const bytes = memory.subarray(0, bytesRead);
    for (let at = bytes.indexOf(0x0a); at >= 0; at = bytes.indexOf(0x0a, at + 1))
      if (--left === 0) return position + at + 1;
    position += bytesRead;
  }
}
