import { createReadStream, createWriteStream } from "node:fs";
import { once } from "node:events";
import { rm, statfs } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { runSide, shown } from "./ingest.ts";
import type { BenchRow, SkippedRow } from "../row.ts";

const copies = 5;

/**
 * T1c, flat: peak memory of ingesting a file of several times the size over that of the file itself. The large file is
 * the small one again and again with other ids.
 */
export async function benchMemory(options: {
  readonly folder: string;
  readonly jsonl: string;
  readonly bytes: number;
  readonly rows: number;
}): Promise<BenchRow | SkippedRow> {
  const name = `T1c peak memory of a ${copies}-fold file / of the file`;
  const { bavail, bsize } = await statfs(options.folder);
  const needed = options.bytes * copies * 1.6;
  if (bavail * bsize < needed)
    return { name, skipped: `it needs ${(needed / 1e9).toFixed(1)} GB of disk for the time being` };
  const large = join(options.folder, "large.jsonl");
  const database = join(options.folder, "large.duckdb");
  try {
    const one = await runSide("archive", { ...options, database });
    const bytes = await repeat(options.jsonl, large);
    const many = await runSide("archive", { jsonl: large, database, rows: copies * options.rows });
    return {
      name,
      measured: many.rssMb / one.rssMb,
      target: 1.25,
      unit: "ratio",
      detail: `${(bytes / 1e9).toFixed(2)} GB: ${shown(many)}, against ${shown(one)} for ${(options.bytes / 1e9).toFixed(2)} GB`,
    };
  } finally {
    for (const file of [large, database, `${database}.wal`]) await rm(file, { force: true });
  }
}

/** Writes a file of rollouts several times over, with ids that are all different; answers its bytes. */
async function repeat(from: string, to: string): Promise<number> {
  const out = createWriteStream(to, { highWaterMark: 1 << 22 });
  let bytes = 0;
  for (let copy = 0; copy < copies; copy++) {
    let batch: string[] = [];
    const flush = async (): Promise<void> => {
      const data = Buffer.from(batch.join(""));
      bytes += data.length;
      batch = [];
      if (!out.write(data)) await once(out, "drain");
    };
    for await (const line of createInterface({ input: createReadStream(from) })) {
      batch.push(line.replace('{"id":"', `{"id":"${copy}.`), "\n");
      if (batch.length >= 4000) await flush();
    }
    await flush();
  }
  out.end();
  await once(out, "close");
  return bytes;
}
