import { rm } from "node:fs/promises";
import type * as DuckDb from "@duckdb/node-api";
import type {
  DuckDBConnection,
  DuckDBDataChunk,
  DuckDBInstance,
  DuckDBResult,
  DuckDBResultReader,
} from "@duckdb/node-api";
import { HarnessError } from "../../base/errors.ts";
import { makePrivate } from "../../base/files.ts";
import { silentLog, type Log } from "../../base/log.ts";
import { loadDuckDb } from "../../base/loadDuckDb.ts";
import { wantedUntil } from "../../base/wanted.ts";
import { Answers, Written, type Versions } from "./answers.ts";
import { assertWanted, interruptible, interruptOn } from "./interruptible.ts";
import { EngineThreads, threadsOf } from "./engineThreads.ts";
import { noteDamage } from "./damage.ts";
import { claimPath, releasePath } from "./ownedPath.ts";
import { isDamaged, storeError } from "./storeErrors.ts";
import type { TermsOf } from "./runTerms.ts";
import { makeBinder, type Row, type SqlFragment } from "./sql.ts";
import { rowGroupSize, schemaVersion, tableStatements, viewStatements } from "./tables.ts";
import { memoryLimitOf, trimCache } from "./trimCache.ts";

export interface StoreOptions {
  /** The database file, by convention `.evotrainer/archive.duckdb`. */
  readonly path: string;
  /** The folder that paths of evidence files are kept relative to. */
  readonly evidenceRoot: string;
  readonly log?: Log;
  readonly threads?: number;
  readonly memoryLimitMb?: number;
  /** To which the files of runs have to keep; without it they count as they are. */
  readonly termsOf?: TermsOf;
  /** Whether the project made a version of that name, so that only its own jobs tell of it; without it, none is. */
  readonly isOwnVersion?: (version: string) => Promise<boolean>;
  /** Called as soon as this process holds the lock of `path`, before the archive is ready; again when it is reopened. */
  readonly onLocked?: (path: string) => Promise<void>;
  /** Told in a sentence when the archive is made anew, because it was damaged or another release made it. */
  readonly onReplaced?: (message: string) => void;
}

/** The open archive of a workspace. One process owns it; within it, writes go one after another. */
export interface Store {
  readonly path: string;
  readonly evidenceRoot: string;
  readonly log: Log;
  readonly termsOf: TermsOf;
  readonly isOwnVersion: (version: string) => Promise<boolean>;
  readonly duckdb: typeof DuckDb;
  /**
   * All rows of a query whose result is small by its nature. With a signal it is given up when that is aborted.
   * @throws HarnessError cancelled, storeFailed, diskFull
   */
  query(fragment: SqlFragment, signal?: AbortSignal): Promise<Row[]>;
  /** The rows of a query in pages, without ever holding all of them. */
  pages(fragment: SqlFragment): AsyncGenerator<Row[]>;
  /** The result of a query as the engine's own vectors, for who reads whole columns; each holds until the next one. */
  chunks(fragment: SqlFragment): AsyncGenerator<DuckDBDataChunk>;
  /**
   * Runs `work` in one transaction, after every write that came before: it commits, or nothing happened. With `versions`
   * it changes rows of those alone, and what is known of others still holds; with none it changes no answer.
   */
  write<T>(work: (connection: DuckDBConnection) => Promise<T>, versions?: Versions): Promise<T>;
  /**
   * The same with what `prepare` found and put into temporary tables, which `work` drops: all threads of the engine read
   * them, and what the transaction itself wrote is read by one.
   */
  writePrepared<P, T>(
    prepare: (connection: DuckDBConnection) => Promise<P>,
    work: (connection: DuckDBConnection, prepared: P) => Promise<T>,
    versions?: Versions,
  ): Promise<T>;
  /** How many writes were committed since the archive was opened: what was computed of it holds while that is the same. */
  commits(): number;
  /** The same as long as nothing was written that may change what is known of these versions. */
  stamp(versions: Versions): string;
  /**
   * The same for work that appends many rows: with one thread of the engine, which is as fast and takes less of the
   * processor, and nearly all that it wrote leaves the memory.
   */
  append<T>(work: (connection: DuckDBConnection) => Promise<T>, versions?: Versions): Promise<T>;
  /** Runs `work` while no other holder of the same name runs. */
  exclusive<T>(name: string, work: () => Promise<T>): Promise<T>;
  /** Brings the log into the file. */
  checkpoint(): Promise<void>;
  close(): Promise<void>;
}

export interface OpenedDatabase {
  readonly store: Store;
  /**
   * Created now, with its tables there and of this version, with tables of another version, or filled in part: by a
   * rebuild that was cut off before `noteFilled`.
   */
  readonly state: "created" | "current" | "outdated" | "partial";
}

/**
 * Opens or creates the database file and takes its lock.
 * @throws HarnessError storeBusy, storeFailed, unsupportedFileSystem, diskFull
 */
export async function openDatabase(options: StoreOptions): Promise<OpenedDatabase> {
  const log = options.log ?? silentLog;
  const path = await claimPath(options.path);
  let instance: DuckDBInstance | undefined;
  try {
    const engine = await engineFor(options, path);
    const { duckdb, connection } = engine;
    instance = engine.instance;
    await connection.run(`ATTACH ${attachClause(path, "archive")}`);
    for (const suffix of ["", ".wal"]) await makePrivate(`${path}${suffix}`, 0o600);
    // A compaction that was cut off left it; this process holds the archive, so that none is under way.
    for (const suffix of ["", ".wal"]) await rm(`${besidePath(path)}${suffix}`, { force: true });
    await options.onLocked?.(path);
    await connection.run("USE archive");
    // What does not fill a row group goes through the log; folding it in less often spares writing it twice.
    await connection.run("SET checkpoint_threshold = '64MB'");
    await connection.run("SET enable_external_access = false");
    await connection.run("SET allowed_configs = ['threads', 'memory_limit']");
    await connection.run("SET lock_configuration = true");
    const state = await prepareTables(connection);
    log.debug("evidence", "archive opened", { path, state });
    const threads = new EngineThreads({ connection, most: threadsOf(options), log });
    await threads.fit();
    return { store: makeStore({ options, path, log, duckdb, instance, connection, threads }), state };
  } catch (e) {
    instance?.closeSync();
    releasePath(path);
    throw storeError(e, path);
  }
}

/** The engine, with nothing attached to it yet. */
export async function engineFor(
  options: StoreOptions,
  path: string,
): Promise<Pick<Parts, "duckdb" | "instance" | "connection">> {
  const duckdb = loadDuckDb();
  const instance = await duckdb.DuckDBInstance.create(":memory:", {
    threads: String(threadsOf(options)),
    memory_limit: `${memoryLimitOf(options)}MB`,
    temp_directory: `${path}.tmp`,
  });
  return { duckdb, instance, connection: await instance.connect() };
}

/** What follows ATTACH for a database file of the archive. */
export function attachClause(path: string, name: string, mode?: "READ_ONLY"): string {
  const how = mode ?? `STORAGE_VERSION 'latest', ROW_GROUP_SIZE ${rowGroupSize}`;
  return `${quoted(path)} AS ${name} (${how})`;
}

/** Where the new file of a compaction is written. */
export function besidePath(path: string): string {
  return `${path}.compact`;
}

/** Marks an archive whose registered files have not all been read since it was created. */
const fillingKey = "filling";

/** To be called when every registered file was read into a new archive. */
export async function noteFilled(store: Store): Promise<void> {
  await store.write((connection) => connection.run("DELETE FROM meta WHERE key = ?", [fillingKey]));
}

async function prepareTables(connection: DuckDBConnection): Promise<OpenedDatabase["state"]> {
  const tables = await connection.runAndReadAll(
    "SELECT table_name FROM duckdb_tables() WHERE database_name = 'archive'",
  );
  if (tables.currentRowCount > 0) {
    if (!tables.getRows().some(([name]) => name === "meta")) return "outdated";
    const found = await connection.runAndReadAll("SELECT key, value FROM meta");
    const meta = new Map(found.getRows().map(([key, value]) => [key, value]));
    if (meta.get("schema") !== String(schemaVersion)) return "outdated";
    return meta.has(fillingKey) ? "partial" : "current";
  }
  await connection.run("BEGIN");
  for (const statement of [...tableStatements, ...viewStatements]) await connection.run(statement);
  await connection.run("INSERT INTO meta VALUES ('schema', ?), (?, '')", [String(schemaVersion), fillingKey]);
  await connection.run("COMMIT");
  return "created";
}

interface Parts {
  readonly options: StoreOptions;
  readonly path: string;
  readonly log: Log;
  readonly duckdb: typeof DuckDb;
  readonly instance: DuckDBInstance;
  readonly connection: DuckDBConnection;
  readonly threads: EngineThreads;
}

function makeStore({ options, path, log, duckdb, instance, connection: first, threads }: Parts): Store {
  const bind = makeBinder(duckdb);
  const turn = makeTurns();
  let closed = false;
  /** How many are running. */
  let queries = 0;
  const idle: DuckDBConnection[] = [];
  const written = new Written();
  const answers = new Answers(written);
  const connect = async (): Promise<DuckDBConnection> => {
    if (closed) throw new HarnessError("storeFailed", `The archive ${path} is closed; open it again.`);
    const connection = await instance.connect();
    await connection.run("USE archive");
    return connection;
  };
  /** Whoever opens a damaged one next makes it anew: it opens well, and this would be found again and again. */
  const failureOf = async (e: unknown): Promise<unknown> => {
    const failure = storeError(e, path);
    if (isDamaged(failure)) await noteDamage(path);
    return failure;
  };
  const guarded = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (e) {
      throw await failureOf(e);
    }
  };
  const transaction = async <T, P>(
    prepare: (connection: DuckDBConnection) => Promise<P>,
    work: (connection: DuckDBConnection, prepared: P) => Promise<T>,
    versions: Versions,
  ): Promise<T> => {
    const connection = (closed ? undefined : idle.pop()) ?? (await connect());
    try {
      // Nothing is written yet: until then it can be given up at any time.
      const prepared = await interruptible(
        connection,
        Object.is(prepare, nothing) ? undefined : wantedUntil(),
        () => prepare(connection),
      );
      await connection.run("BEGIN");
      const value = await work(connection, prepared);
      await connection.run("COMMIT");
      written.note(versions);
      await threads.committed();
      idle.push(connection);
      return value;
    } catch (e) {
      // Closing a connection rolls back what it has not committed.
      connection.closeSync();
      throw e;
    }
  };
  const nothing = (): Promise<void> => Promise.resolve();
  async function* streamed<T>(
    { sql, params }: SqlFragment,
    read: (result: DuckDBResult) => AsyncIterable<T>,
  ): AsyncGenerator<T> {
    const connection = await guarded(connect);
    const signal = wantedUntil();
    const release = signal === undefined ? undefined : interruptOn(connection, signal);
    queries++;
    try {
      if (signal !== undefined) assertWanted(signal);
      const { values, types } = bind(params);
      yield* read(await guarded(() => connection.stream(sql, values, types)));
    } catch (e) {
      if (signal !== undefined) assertWanted(signal);
      throw await failureOf(e);
    } finally {
      release?.();
      queries--;
      connection.closeSync();
    }
  }
  return {
    path,
    evidenceRoot: options.evidenceRoot,
    log,
    termsOf: options.termsOf ?? (() => Promise.resolve(undefined)),
    isOwnVersion: options.isOwnVersion ?? (() => Promise.resolve(false)),
    duckdb,
    query: (fragment, signal = wantedUntil()) =>
      guarded(async () => {
        if (signal !== undefined) assertWanted(signal);
        const before = answers.stamp(fragment);
        const known = closed ? undefined : answers.find(fragment);
        if (known !== undefined) return known;
        const connection = (closed ? undefined : idle.pop()) ?? (await connect());
        queries++;
        const { sql, params } = fragment;
        const { values, types } = bind(params);
        try {
          // Without parameters a statement is run in one call instead of being prepared first.
          const run = (): Promise<DuckDBResultReader> =>
            params.length === 0
              ? connection.runAndReadAll(sql)
              : connection.runAndReadAll(sql, values, types);
          const rows = (await interruptible(connection, signal, run)).getRowObjectsJS();
          answers.keep(fragment, rows, before);
          return rows;
        } finally {
          queries--;
          if (closed || signal?.aborted === true) connection.closeSync();
          else idle.push(connection);
        }
      }),
    pages: async function* (fragment) {
      for await (const rows of streamed(fragment, (result) => result.yieldRowObjectJs()))
        if (rows.length > 0) yield rows;
    },
    chunks: (fragment) => streamed(fragment, (result) => result),
    write: (work, versions) => turn("write", () => guarded(() => transaction(nothing, work, versions))),
    writePrepared: (prepare, work, versions) =>
      turn("write", () => guarded(() => transaction(prepare, work, versions))),
    append: (work, versions) =>
      turn("write", () =>
        guarded(async () => {
          if (closed) return transaction(nothing, work, versions);
          const value = await threads.alone(() => transaction(nothing, work, versions));
          if (queries === 0) await trimCache(first, memoryLimitOf(options));
          return value;
        }),
      ),
    commits: () => written.commits,
    stamp: (versions) => written.stamp(versions),
    exclusive: turn,
    checkpoint: () =>
      turn("write", () =>
        guarded(async () => {
          await first.run("CHECKPOINT archive");
        }),
      ),
    close: () =>
      turn("write", async () => {
        if (closed) return;
        closed = true;
        try {
          await guarded(() => first.run("CHECKPOINT archive"));
        } finally {
          for (const connection of [...idle, first]) connection.closeSync();
          instance.closeSync();
          releasePath(path);
        }
      }),
  };
}

function makeTurns(): <T>(name: string, work: () => Promise<T>) => Promise<T> {
  const last = new Map<string, Promise<unknown>>();
  return (name, work) => {
    const before = last.get(name) ?? Promise.resolve();
    const mine = before.then(work, work);
    last.set(
      name,
      mine.catch(() => undefined),
    );
    return mine;
  };
}

/** A path as a string literal, for the one statement that takes no parameters. */
function quoted(path: string): string {
  return `'${path.replaceAll("'", "''")}'`;
}
