import { randomUUID } from "node:crypto";
import { appendFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { HarnessError, messageOf } from "../../base/errors.ts";
import type { LoopEvent } from "../../loop/events.ts";
import type { LoopState } from "../../loop/state.ts";
import { generationsDone } from "./status.ts";
import { evolutionFiles, thisProcess, writeRecord, type EvolutionRecord } from "./record.ts";

/** What others can read of an evolution while it runs and afterwards. */
export interface KeptRecord {
  readonly note: (event: LoopEvent) => void;
  readonly end: (how: { readonly state: LoopState } | { readonly error: unknown }) => Promise<void>;
}

/**
 * Writes down that this process works on the evolution, and its events after those of earlier processes. Only the owner of the archive
 * may call it: the files of another process would be lost.
 */
export async function keepRecord(
  engineFolder: string,
  { host }: { readonly host: string | null },
): Promise<KeptRecord> {
  const path = join(engineFolder, evolutionFiles.events);
  const record: EvolutionRecord = {
    schema: 1,
    id: randomUUID(),
    process: thisProcess(),
    host,
    startedAt: new Date().toISOString(),
    from: statSync(path, { throwIfNoEntry: false })?.size ?? 0,
    ended: null,
  };
  await writeRecord(engineFolder, record);
  return {
    note(event) {
      // Told in their order and before anything that follows from them; a full disk must not stop the evolution.
      try {
        appendFileSync(path, `${JSON.stringify({ at: new Date().toISOString(), ...event })}\n`, {
          mode: 0o600,
        });
      } catch {
        // The events are for watching: the ledger and the state have everything that counts.
      }
    },
    end: (how) =>
      writeRecord(engineFolder, { ...record, ended: { at: new Date().toISOString(), ...endOf(how) } }),
  };
}

function endOf(
  end: { readonly state: LoopState } | { readonly error: unknown },
): Pick<NonNullable<EvolutionRecord["ended"]>, "how" | "message"> {
  if ("state" in end && end.state.stopped === null && end.state.phase !== "done")
    return { how: "interrupted", message: "It was asked to stop here, and can continue." };
  if ("state" in end)
    return end.state.stopped === null
      ? { how: "done", message: end.state.ended ?? generationsDone(end.state.generations) }
      : { how: "blocked", message: end.state.stopped };
  const { error } = end;
  const message = messageOf(error).slice(0, 2000);
  if (HarnessError.is(error, "gateWaiting")) return { how: "gate", message };
  if (HarnessError.is(error, "budgetSpent")) return { how: "blocked", message };
  if (HarnessError.is(error, "cancelled")) return { how: "interrupted", message };
  return { how: "failed", message };
}
