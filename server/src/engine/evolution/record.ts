import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { codeOf } from "../../base/errors.ts";
import { writeFileAtomic } from "../../base/files.ts";
import { identify, isAlive } from "../../runner/job/processes.ts";

/** Files of the engine's folder that tell of the process that works on the evolution. */
export const evolutionFiles = {
  record: "evolution.json",
  events: "evolution.jsonl",
  /** What a process printed that was started without a terminal. */
  log: "evolution.log",
} as const;

/** The process that worked on the evolution last, and how it ended; `ended` stays null when it was killed. */
const EvolutionRecord = z.object({
  schema: z.literal(1),
  /** Also the id of its events. */
  id: z.string(),
  process: z.object({ pid: z.int().positive(), start: z.string(), boot: z.string() }),
  host: z.string().nullable(),
  startedAt: z.iso.datetime(),
  /** Where its events begin in the file, after those of earlier processes. */
  from: z.int().nonnegative().default(0),
  ended: z
    .object({
      at: z.iso.datetime(),
      how: z.enum(["done", "gate", "blocked", "interrupted", "failed"]),
      message: z.string(),
    })
    .nullable(),
});
export type EvolutionRecord = z.infer<typeof EvolutionRecord>;

/** The record; undefined before the first evolution, and for a file that is none. */
export async function readRecord(engineFolder: string): Promise<EvolutionRecord | undefined> {
  try {
    const text = await readFile(join(engineFolder, evolutionFiles.record), "utf8");
    return EvolutionRecord.safeParse(JSON.parse(text)).data;
  } catch (e) {
    if (codeOf(e) === "ENOENT" || codeOf(e) === "ENOTDIR" || e instanceof SyntaxError) return undefined;
    throw e;
  }
}

export async function writeRecord(engineFolder: string, record: EvolutionRecord): Promise<void> {
  await writeFileAtomic(join(engineFolder, evolutionFiles.record), `${JSON.stringify(record)}\n`, {
    mode: 0o600,
  });
}

/** Whether the process of a record still works. */
export const isRunning = (record: EvolutionRecord): boolean =>
  record.ended === null && isAlive(record.process);

/** Who this process is, for a record. */
export function thisProcess(): EvolutionRecord["process"] {
  return identify(process.pid) ?? { pid: process.pid, start: "unknown", boot: "unknown" };
}
