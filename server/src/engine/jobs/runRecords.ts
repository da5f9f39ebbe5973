import { stat } from "node:fs/promises";
import { join } from "node:path";
import { HarnessError } from "../../base/errors.ts";
import { readLoopState } from "../../loop/state.ts";
import type { RunRecord } from "../../runner/fleet/spending.ts";
import { recordPath } from "../../runner/job/jobRecords.ts";
import { readPlace } from "../../runner/job/runPlace.ts";
import { readOutcome } from "../../runner/job/outcome.ts";
import { runsFolder } from "../workspace/archive.ts";
import { jobNames } from "./lookUp.ts";

/** Runs that are over do not change any more: they are read once. By folder. */
const settled = new Map<string, RunRecord>();

/** What the runs of a project took, or may take, as their folders on this machine tell. */
export async function runRecords(engineFolder: string): Promise<RunRecord[]> {
  const runs = runsFolder({ engineFolder });
  const records: RunRecord[] = [];
  for (const run of await jobNames(runs)) {
    const directory = join(runs, run);
    const record = settled.get(directory) ?? (await recordOf(directory, run));
    if (record === undefined) continue;
    if (record.ended !== null) settled.set(directory, record);
    records.push(record);
  }
  return records;
}

async function recordOf(directory: string, run: string): Promise<RunRecord | undefined> {
  const [place, outcome] = await Promise.all([readPlace(directory), readOutcome(directory)]);
  const written = await stat(recordPath(directory, "outcome.json")).catch(() => undefined);
  const isOver = outcome !== undefined && written !== undefined;
  if (place === undefined && !isOver) return undefined;
  const ended = isOver ? written.mtimeMs : null;
  const hours = (isOver ? outcome.seconds : (place?.budgetSeconds ?? 0)) / 3600;
  return {
    run,
    host: place?.host ?? null,
    at: place?.at === undefined ? (ended ?? 0) : Date.parse(place.at),
    ended,
    hours,
    gpus: place?.gpus ?? 0,
  };
}

/** When the evolution began whose budgets these are, in milliseconds since 1970; 0 when there is none. */
export async function evolutionBegan(engineFolder: string): Promise<number> {
  const state = await readLoopState(engineFolder).catch((e: unknown) => {
    if (HarnessError.is(e, "badInput")) return undefined;
    throw e;
  });
  return state === undefined ? 0 : Date.parse(state.startedAt);
}
