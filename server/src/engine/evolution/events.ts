import { join } from "node:path";
import { EvolutionEvent, type EvolutionEvents } from "../../../../shared/protocol/views/evolution.ts";
import { readPiece } from "../jobs/jobLog.ts";
import { engineFolderOf } from "../workspace/workspace.ts";
import { evolutionFiles, isRunning, readRecord } from "./record.ts";

/**
 * Whole events from an offset on. Each process that works on the evolution begins anew: with the id of an earlier one
 * the events are read from their beginning.
 */
export async function readEvents(
  root: string,
  {
    id,
    offset,
    limit,
  }: { readonly id?: string | undefined; readonly offset: number; readonly limit: number },
): Promise<EvolutionEvents> {
  const engineFolder = engineFolderOf(root);
  const record = await readRecord(engineFolder);
  if (record === undefined) return { id: null, events: [], next: 0, over: true };
  const over = !isRunning(record);
  const from = id === record.id ? offset : 0;
  const { text } = await readPiece(join(engineFolder, evolutionFiles.events), record.from + from, limit);
  const end = text.lastIndexOf("\n") + 1;
  const events = text
    .slice(0, end)
    .split("\n")
    .flatMap((line) => parse(line) ?? []);
  return { id: record.id, events, next: from + Buffer.byteLength(text.slice(0, end)), over };
}

function parse(line: string): EvolutionEvent | undefined {
  try {
    return EvolutionEvent.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}
