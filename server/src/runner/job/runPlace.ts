import { existsSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { HarnessError, messageOf } from "../../base/errors.ts";
import { writeFileAtomic } from "../../base/files.ts";
import { readPlainText } from "../../base/plainFile.ts";
import { jobFiles } from "./jobEnd.ts";

/** The file of a run that says where it is; written before anything is submitted. */
const placeFile = "host.json";

/** Where a run is, and what it may take there. */
const RunPlace = z.object({
  /** Host in evotrainer.yaml; null for this machine. */
  host: z.string().nullable(),
  /** When this was decided. */
  at: z.iso.datetime().optional().catch(undefined),
  /** Wall time after which it is stopped. */
  budgetSeconds: z.number().nonnegative().optional().catch(undefined),
  gpus: z.int().nonnegative().optional().catch(undefined),
});
export type RunPlace = z.infer<typeof RunPlace>;

/** Undefined when nobody has said where the run is. */
export async function readPlace(directory: string): Promise<RunPlace | undefined> {
  const text = await readPlainText(join(directory, placeFile));
  if (text === undefined) return undefined;
  try {
    return RunPlace.parse(JSON.parse(text));
  } catch (e) {
    throw new HarnessError(
      "badInput",
      `${join(directory, placeFile)} does not say where its run is (${messageOf(e)}); remove the file, and the run counts as one of this machine.`,
    );
  }
}

/** The host that a run belongs to; null for this machine, undefined when it was never given to one. */
export async function ownerOf(directory: string): Promise<string | null | undefined> {
  const place = await readPlace(directory);
  if (place !== undefined) return place.host;
  // Jobs of this machine need no such file.
  return existsSync(join(directory, jobFiles.job)) ? null : undefined;
}

/**
 * Remembers where a run is, so that it is never started in a second place; false when that was known.
 * @throws HarnessError badInput when it is elsewhere
 */
export async function claimRun(directory: string, run: string, place: RunPlace): Promise<boolean> {
  const owner = await ownerOf(directory);
  if (owner === place.host) return false;
  if (owner !== undefined)
    throw new HarnessError(
      "badInput",
      `The run ${run} was started on ${owner ?? "this machine"}; go on with --host ${owner ?? "here"}.`,
    );
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await writeFileAtomic(join(directory, placeFile), JSON.stringify(place), { mode: 0o600 });
  return true;
}

/** Takes the choice of a place back. Only for a run that this place is known not to have. */
export async function releaseRun(directory: string): Promise<void> {
  await rm(join(directory, placeFile), { force: true });
}
