import { rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { runChild } from "../child.ts";
import type { BenchRow } from "../row.ts";

const Side = z.object({
  rows: z.int(),
  wallMs: z.number(),
  cpuMs: z.number(),
  rssMb: z.number(),
  storeMb: z.number(),
});
export type Side = z.infer<typeof Side>;

export interface IngestBench {
  readonly folder: string;
  readonly shape: string;
  readonly jsonl: string;
  /** Where the archive of the last round is left. */
  readonly database: string;
  readonly bytes: number;
  readonly rows: number;
  readonly rounds: number;
}

/** Runs one side in a process of its own on an empty database: ours, or the engine's reading with or without storing. */
export async function runSide(
  side: "archive" | "ctas" | "parse",
  options: Pick<IngestBench, "jsonl" | "database" | "rows">,
): Promise<Side> {
  for (const suffix of ["", ".wal"]) await rm(`${options.database}${suffix}`, { force: true });
  await rm(options.database.replace(/\.duckdb$/, ".sources.jsonl"), { force: true });
  const result = Side.parse(
    await runChild(join(import.meta.dirname, "ingestChild.ts"), [side, options.jsonl, options.database]),
  );
  if (result.rows !== options.rows) throw new Error(`${side} read ${result.rows} of ${options.rows} rows.`);
  return result;
}

/**
 * T1: CPU time of our ingest (every line validated, offsets, turns exploded) over that of DuckDB's own CREATE TABLE AS
 * read_json with explicit columns; T1b: over that of its parsing of every field without storing; T1c: its peak memory, and
 * T2: the archive, over the file. The sides alternate in fresh processes; the least of each is compared, because what
 * else runs on the machine only ever adds.
 */
export async function benchIngest(options: IngestBench): Promise<BenchRow[]> {
  const best: Partial<Record<"archive" | "ctas" | "parse", Side>> = {};
  for (let round = 0; round < options.rounds; round++)
    for (const side of ["parse", "ctas", "archive"] as const) {
      const database = side === "archive" ? options.database : join(options.folder, `${side}.duckdb`);
      const result = await runSide(side, { ...options, database });
      if (result.cpuMs < (best[side]?.cpuMs ?? Infinity)) best[side] = result;
      if (side === "ctas") await rm(database);
    }
  const { archive, ctas, parse } = best;
  if (archive === undefined || ctas === undefined || parse === undefined)
    throw new Error("The ingest benchmark needs one round.");
  const megabytes = options.bytes / 1e6;
  const size = `${options.shape}: ${options.rows} rollouts, ${megabytes.toFixed(0)} MB`;
  const name = (text: string): string => `${text}, ${options.shape}`;
  const ratio = (title: string, measured: number, target: number, detail: string): BenchRow => ({
    name: name(title),
    measured,
    target,
    unit: "ratio",
    detail,
  });
  return [
    ratio(
      "T1 ingest CPU / DuckDB read_json",
      archive.cpuMs / ctas.cpuMs,
      1.7,
      `${size}: ${shown(archive)} against ${shown(ctas)}`,
    ),
    ratio(
      "T1b ingest CPU / DuckDB parsing only",
      archive.cpuMs / parse.cpuMs,
      6,
      `${(archive.cpuMs / 1000).toFixed(1)} CPU-s against ${(parse.cpuMs / 1000).toFixed(1)} CPU-s`,
    ),
    ratio(
      "T1c ingest peak memory / file",
      archive.rssMb / (megabytes / 1.048576),
      0.9,
      `${archive.rssMb.toFixed(0)} MiB for ${megabytes.toFixed(0)} MB${megabytes < 800 ? ", which is less than the 800 MB that the target is for" : ""}`,
    ),
    ratio(
      "T2 archive / JSONL",
      archive.storeMb / megabytes,
      0.3,
      `${archive.storeMb.toFixed(0)} MB for ${megabytes.toFixed(0)} MB`,
    ),
  ];
}

export const shown = (s: Side): string =>
  `${(s.cpuMs / 1000).toFixed(1)} CPU-s, ${(s.wallMs / 1000).toFixed(1)} s, ${s.rssMb.toFixed(0)} MiB peak, ${s.storeMb.toFixed(0)} MB file`;
