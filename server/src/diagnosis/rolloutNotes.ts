import { stat } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { addJsonLine, readJsonLines } from "../base/jsonLines.ts";

/** What a person wrote down about a rollout. Nothing reads it but people. */
export const RolloutNote = z.object({
  run: z.string().min(1),
  id: z.string().min(1),
  note: z.string().min(1).max(10_000),
  by: z.string().min(1),
  at: z.iso.datetime(),
});
export type RolloutNote = z.infer<typeof RolloutNote>;

/** The file in the engine's folder that they stand in. */
export const rolloutNotesPath = (engineFolder: string): string => join(engineFolder, "rollout-notes.jsonl");

/** Adds a note; nothing is ever changed or removed. */
export async function addRolloutNote(path: string, note: RolloutNote): Promise<void> {
  await addJsonLine(path, note);
}

interface Read {
  readonly stamp: string;
  readonly notes: readonly RolloutNote[];
}
const read = new Map<string, Read>();

/** All notes in the order they were written; a line that is none is passed over. Read again when the file has changed. */
export async function readRolloutNotes(path: string): Promise<readonly RolloutNote[]> {
  const stamp = await stat(path).then(
    ({ mtimeMs, size }) => `${mtimeMs} ${size}`,
    () => "",
  );
  const known = read.get(path);
  if (known?.stamp === stamp) return known.notes;
  const notes = (await readJsonLines(path)).flatMap((line) => RolloutNote.safeParse(line).data ?? []);
  read.set(path, { stamp, notes });
  return notes;
}
