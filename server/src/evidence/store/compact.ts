import { open, rename, rm, stat, statfs } from "node:fs/promises";
import { dirname } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { exists, makePrivate } from "../../base/files.ts";
import { HarnessError } from "../../base/errors.ts";
import { silentLog } from "../../base/log.ts";
import { attachClause, besidePath, engineFor, openDatabase, type StoreOptions } from "./database.ts";
import { ownPath } from "./ownedPath.ts";
import { numberOf } from "./rows.ts";
import { storeError } from "./storeErrors.ts";
import { tableNames, tableStatements, viewStatements } from "./tables.ts";

export interface Compaction {
  /** Bytes of the database file. */
  readonly before: number;
  readonly after: number;
}

/** Points at which a test kills the process. */
export const compactionPoints = ["checked", "copied", "verified", "swapped"] as const;
export type CompactionPoint = (typeof compactionPoints)[number];

export interface CompactionHooks {
  readonly reached?: (point: CompactionPoint) => void;
  /** Bytes that are free on the disk, when it is not to be asked. */
  readonly freeBytes?: () => Promise<number>;
}

/** Room that must stay on the disk beside the new file. */
const spareBytes = 32 * 1024 * 1024;

/**
 * Writes the archive anew beside the old one and puts it in its place, because the database does not return the room of
 * what was deleted. A crash at any point leaves the old archive or the new one. The store must not be open.
 * @throws HarnessError storeBusy, diskFull when the disk lacks the room for both, badInput for an archive of another
 *   version, storeFailed
 */
export async function compactStore(options: StoreOptions, hooks: CompactionHooks = {}): Promise<Compaction> {
  const used = await foldLog(options);
  return ownPath(options.path, async (path) => {
    const beside = besidePath(path);
    await assertRoom(path, used, hooks);
    hooks.reached?.("checked");
    await removeBeside(path);
    const before = (await stat(path)).size;
    const { instance, connection } = await engineFor(options, path);
    try {
      // Read-only: it keeps every writer out until the end, and leaves the log of whoever opens the new file alone.
      await connection.run(`ATTACH ${attachClause(path, "archive", "READ_ONLY")}`);
      await connection.run(`ATTACH ${attachClause(beside, "beside")}`);
      await copyTables(connection, () => hooks.reached?.("copied"));
      await connection.run("CHECKPOINT beside");
      await connection.run("DETACH beside");
      const after = (await stat(beside)).size;
      if ((await exists(`${path}.wal`)) || (await exists(`${beside}.wal`)))
        throw new HarnessError(
          "storeBusy",
          `Another engine wrote to the archive ${path}, so compaction stopped and changed nothing; run it again.`,
        );
      await makePrivate(beside, 0o600);
      await syncFile(beside);
      hooks.reached?.("verified");
      if (process.platform === "win32") connection.closeSync(); // Windows does not replace a file that is open.
      await rename(beside, path);
      await syncFolder(dirname(path));
      hooks.reached?.("swapped");
      (options.log ?? silentLog).info("evidence", "archive compacted", { path, before, after });
      return { before, after };
    } catch (e) {
      throw storeError(e, path);
    } finally {
      instance.closeSync();
      await removeBeside(path);
    }
  });
}

/** Brings the log into the file and returns how many bytes of it are in use. */
async function foldLog(options: StoreOptions): Promise<number> {
  if (!(await exists(options.path)))
    throw new HarnessError("notFound", `There is no archive ${options.path} to compact.`);
  const { store, state } = await openDatabase(options);
  try {
    if (state !== "current")
      throw new HarnessError(
        "badInput",
        `The archive ${store.path} has another version or is not complete; open it once to rebuild it, then run again.`,
      );
    await store.checkpoint();
    const [size] = await store.query({
      sql: "SELECT (used_blocks * block_size)::BIGINT AS used FROM pragma_database_size() WHERE database_name = 'archive'",
      params: [],
    });
    return numberOf(size ?? {}, "used");
  } finally {
    await store.close();
  }
}

async function assertRoom(path: string, used: number, hooks: CompactionHooks): Promise<void> {
  const free = await (hooks.freeBytes ?? (() => freeBytes(path)))();
  const needed = used + spareBytes;
  const mb = (bytes: number): string => `${Math.ceil(bytes / 1e6)} MB`;
  if (free < needed)
    throw new HarnessError(
      "diskFull",
      `Compacting the archive ${path} needs ${mb(needed)} on its disk for a while, but only ${mb(free)} are free; free some space and run again.`,
    );
}

async function freeBytes(path: string): Promise<number> {
  const { bavail, bsize } = await statfs(dirname(path));
  return bavail * bsize;
}

/** Copies every table in the order in which its rows lie, and compares the numbers of rows. */
async function copyTables(connection: DuckDBConnection, done: () => void): Promise<void> {
  await connection.run("USE beside");
  for (const statement of [...tableStatements, ...viewStatements]) await connection.run(statement);
  for (const table of tableNames)
    await connection.run(`INSERT INTO beside.${table} SELECT * FROM archive.${table}`);
  done();
  for (const table of tableNames) {
    const counts = await connection.runAndReadAll(
      `SELECT (SELECT count(*) FROM archive.${table}) AS old, (SELECT count(*) FROM beside.${table}) AS new`,
    );
    const row = counts.getRowObjectsJS()[0] ?? {};
    const [rows, copied] = [numberOf(row, "old"), numberOf(row, "new")];
    if (rows !== copied) throw new Error(`The copy of ${table} has ${copied} rows, not ${rows}.`);
  }
  await connection.run("USE memory");
}

/** What a compaction that was cut off left. */
async function removeBeside(path: string): Promise<void> {
  for (const suffix of ["", ".wal"]) await rm(`${besidePath(path)}${suffix}`, { force: true });
}

async function syncFile(path: string): Promise<void> {
  const file = await open(path, "r+");
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

async function syncFolder(path: string): Promise<void> {
  if (process.platform === "win32") return; // Folders cannot be opened there.
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
