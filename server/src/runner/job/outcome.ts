import { readFile } from "node:fs/promises";
import { z } from "zod";
import { FailureClass } from "../../../../shared/model/failureClass.ts";
import { codeOf } from "../../base/errors.ts";
import { recordPath } from "./jobRecords.ts";
import { readPlace } from "./runPlace.ts";

export const JobOutcome = z.object({
  ok: z.boolean(),
  failure: FailureClass.nullable(),
  message: z.string(),
  run: z.string(),
  commit: z.string(),
  runDirectory: z.string(),
  /** Folder of the trained policy; null when the trainer saved none. */
  policy: z.string().nullable(),
  seconds: z.number().nonnegative(),
  /** Why the job was not confined, as a clause; null when it was, absent for runs of earlier releases. */
  unconfined: z.string().nullable().optional(),
});
export type JobOutcome = z.infer<typeof JobOutcome>;

/** The verdict on a run that is over, as the engine wrote it down; undefined while there is none. */
export async function readOutcome(directory: string): Promise<JobOutcome | undefined> {
  try {
    const text = await readFile(recordPath(directory, "outcome.json"), "utf8");
    const parsed = JobOutcome.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : undefined;
  } catch (e) {
    if (codeOf(e) === "ENOENT" || e instanceof SyntaxError) return undefined;
    throw e;
  }
}

/** What is known on this machine of a run on a host; undefined when it is none. */
export async function knownElsewhere(
  directory: string,
): Promise<{ host: string; outcome: JobOutcome | undefined } | undefined> {
  const host = (await readPlace(directory))?.host;
  return host === null || host === undefined ? undefined : { host, outcome: await readOutcome(directory) };
}
