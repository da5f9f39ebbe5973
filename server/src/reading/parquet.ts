import { mkdtemp, realpath, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { HarnessError, messageOf } from "../base/errors.ts";
import { loadDuckDb } from "../base/loadDuckDb.ts";
import { openFile, quoteForMessage } from "./bytes.ts";
import { plainValues } from "./parquetValue.ts";

export interface ParquetColumn {
  readonly name: string;
  /** As the database writes it: "BIGINT", "DOUBLE", "STRUCT(role VARCHAR, content VARCHAR)[]". */
  readonly type: string;
}

/**
 * A row by column. Integers are numbers, or bigints where a number would round; NaN and null stay apart; dates and times
 * are ISO 8601; bytes are a Buffer; lists, structs and maps are arrays and objects.
 */
export type ParquetRow = Readonly<Record<string, unknown>>;

export interface ParquetFile {
  readonly path: string;
  readonly columns: readonly ParquetColumn[];
  readonly rowCount: number;
  /**
   * The rows in file order, at most 2,048 at a time, of all columns or of those that are named.
   * @throws HarnessError badInput
   */
  pages(columns?: readonly string[]): AsyncGenerator<readonly ParquetRow[]>;
  close(): Promise<void>;
}

export interface ParquetOptions {
  /** What decoding may take besides the rows that are handed out. */
  readonly memoryLimitMb?: number;
}

/**
 * Opens a parquet file in a database of its own, in memory, that can read this one file, write nothing, and load nothing.
 * @throws HarnessError notFound, badInput
 */
export async function openParquet(path: string, options: ParquetOptions = {}): Promise<ParquetFile> {
  await refuseOtherFiles(path);
  const place = await placeToRead(path);
  let instance: DuckDBInstance | undefined;
  const close = async (): Promise<void> => {
    instance?.closeSync();
    instance = undefined;
    await place.remove();
  };
  try {
    const sealed = await openSealed(place.path, options.memoryLimitMb ?? 1024);
    instance = sealed.instance;
    const { connection } = sealed;
    const table = `read_parquet(${quoted(place.path)}, hive_partitioning = false)`;
    const columns = await describe(connection, table);
    const counted = await connection.runAndReadAll(`SELECT count(*) FROM ${table}`);
    return {
      path,
      columns,
      rowCount: Number(counted.getRowsJS()[0]?.[0] ?? 0),
      pages: (names) =>
        pages(sealed.instance, { path, table, columns, names: names ?? columns.map((c) => c.name) }),
      close,
    };
  } catch (e) {
    await close();
    throw damaged(path, e);
  }
}

/** What a Parquet file begins with. */
export interface ParquetHead {
  readonly columns: readonly ParquetColumn[];
  /** At most 2,048. */
  readonly rows: readonly ParquetRow[];
  readonly rowCount: number;
}

/**
 * The columns and the first rows of a file. Opening one takes longer than reading it, and a run may write a file in each step.
 * @throws HarnessError notFound, badInput
 */
export async function parquetHead(path: string): Promise<ParquetHead> {
  const parquet = await openParquet(path);
  try {
    const { columns, rowCount } = parquet;
    for await (const rows of parquet.pages()) return { columns, rows, rowCount };
    return { columns, rows: [], rowCount };
  } finally {
    await parquet.close();
  }
}

/** A database in memory that can read the file at this path, and nothing else. */
export async function openSealed(
  path: string,
  memoryLimitMb: number,
): Promise<{ readonly instance: DuckDBInstance; readonly connection: DuckDBConnection }> {
  const instance = await loadDuckDb().DuckDBInstance.create(":memory:", {
    threads: "1",
    memory_limit: `${memoryLimitMb}MB`,
    temp_directory: "",
    autoinstall_known_extensions: "false",
    autoload_known_extensions: "false",
  });
  try {
    const connection = await instance.connect();
    await connection.run(`SET allowed_paths = [${quoted(path)}]`);
    await connection.run("SET enable_external_access = false");
    await connection.run("SET lock_configuration = true");
    return { instance, connection };
  } catch (e) {
    instance.closeSync();
    throw e;
  }
}

async function describe(connection: DuckDBConnection, table: string): Promise<ParquetColumn[]> {
  const rows = await connection.runAndReadAll(`DESCRIBE SELECT * FROM ${table}`);
  return rows.getRowsJS().map(([name, type]) => ({
    name: typeof name === "string" ? name : "",
    type: typeof type === "string" ? type : "",
  }));
}

interface Wanted {
  readonly path: string;
  readonly table: string;
  readonly columns: readonly ParquetColumn[];
  readonly names: readonly string[];
}

async function* pages(
  instance: DuckDBInstance,
  { path, table, columns, names }: Wanted,
): AsyncGenerator<readonly ParquetRow[]> {
  for (const name of names)
    if (!columns.some((c) => c.name === name))
      throw new HarnessError(
        "badInput",
        `${path} has no column ${quoteForMessage(name)}; it has: ${columns
          .map((c) => c.name)
          .join(", ")
          .slice(0, 500)}.`,
      );
  const connection = await instance.connect();
  try {
    const list = names.map((name) => `"${name.replaceAll('"', '""')}"`).join(", ");
    const result = await connection.stream(`SELECT ${list} FROM ${table}`);
    for await (const rows of result.yieldConvertedRows(plainValues(loadDuckDb())))
      if (rows.length > 0) yield rows.map((row) => rowOf(names, row));
  } catch (e) {
    throw damaged(path, e);
  } finally {
    connection.closeSync();
  }
}

function rowOf(names: readonly string[], values: readonly unknown[]): ParquetRow {
  return Object.fromEntries(names.map((name, i) => [name, values[i]]));
}

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

function damaged(path: string, e: unknown): HarnessError {
  if (HarnessError.is(e)) return e;
  const what = messageOf(e).split("\n", 1)[0]?.slice(0, 200) ?? "";
  return new HarnessError(
    "badInput",
    `${path} is not a readable parquet file (${what}); write or copy it again.`,
    { cause: e },
  );
}

/** @throws HarnessError notFound, badInput */
async function refuseOtherFiles(path: string): Promise<void> {
  const file = await openFile(path);
  try {
    const { size } = await file.stat();
    const ends = Buffer.alloc(12);
    if (size >= 12) {
      await file.read(ends, 0, 4, 0);
      await file.read(ends, 4, 8, size - 8);
    }
    const magic = ends.toString("latin1", 8, 12);
    if (magic === "PARE") throw damaged(path, "its footer is encrypted");
    if (ends.toString("latin1", 0, 4) !== "PAR1") throw damaged(path, "it does not begin with PAR1");
    if (magic !== "PAR1")
      throw damaged(path, "it does not end with PAR1: it is cut off, or still being written");
    if (ends.readUInt32LE(4) > size - 12) throw damaged(path, "its footer is longer than the file");
  } finally {
    await file.close();
  }
}

/** The path under which the database may open the file: not one in which it would see a pattern. */
async function placeToRead(path: string): Promise<{ readonly path: string; remove(): Promise<void> }> {
  const real = await realpath(path);
  if (!/[*?[\]{}\\]/.test(real)) return { path: real, remove: () => Promise.resolve() };
  const folder = await mkdtemp(join(await realpath(tmpdir()), "evotrainer-parquet-"));
  const link = join(folder, "file.parquet");
  await symlink(real, link);
  return { path: link, remove: () => rm(folder, { recursive: true, force: true }) };
}
