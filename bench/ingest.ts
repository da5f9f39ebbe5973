import { rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { runChild } from "./child.ts";
import type { BenchRow } from "./row.ts";

const Side = z.object({
  rows: z.int(),
  wallMs: z.number(),
  cpuMs: z.number(),
  rssMb: z.number(),
  storeMb: z.number(),
});
type Side = z.infer<typeof Side>;

export interface IngestBench {
  readonly folder: string;
  readonly jsonl: string;
  readonly bytes: number;
  readonly rows: number;
  readonly rounds: number;
}

/**
 * T1: CPU time of our ingest (every line validated, offsets, turns exploded) over that of DuckDB's own CREATE TABLE AS
 * read_json with explicit columns. Both sides alternate in fresh processes; the least of each is compared, because what
 * else runs on the machine only ever adds. Leaves the archive of the last round in `folder`.
 */
export async function benchIngest(options: IngestBench): Promise<BenchRow> {
  const best: Partial<Record<"archive" | "ctas", Side>> = {};
  for (let round = 0; round < options.rounds; round++)
    for (const side of ["ctas", "archive"] as const) {
      const database = join(options.folder, `${side}.duckdb`);
      for (const suffix of ["", ".wal"]) await rm(`${database}${suffix}`, { force: true });
      await rm(join(options.folder, `${side}.sources.jsonl`), { force: true });
      const result = Side.parse(await runChild("ingestChild.ts", [side, options.jsonl, database]));
      if (result.rows !== options.rows)
        throw new Error(`${side} read ${result.rows} of ${options.rows} rows.`);
      if (result.cpuMs < (best[side]?.cpuMs ?? Infinity)) best[side] = result;
    }
  const { archive, ctas } = best;
  if (archive === undefined || ctas === undefined) throw new Error("The ingest benchmark needs one round.");
  const show = (s: Side): string =>
    `${(s.cpuMs / 1000).toFixed(1)} CPU-s, ${(s.wallMs / 1000).toFixed(1)} s, ${s.rssMb.toFixed(0)} MB peak, ${s.storeMb.toFixed(0)} MB file`;
  return {
    name: "T1 ingest CPU / DuckDB read_json",
    measured: archive.cpuMs / ctas.cpuMs,
    target: 1.7,
    unit: "ratio",
    detail: `${options.rows} rollouts, ${(options.bytes / 1e6).toFixed(0)} MB: ${show(archive)} against ${show(ctas)}`,
  };
}
