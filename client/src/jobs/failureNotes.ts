import type { EvolutionStatus } from "../../../shared/protocol/views/evolution.ts";
import type { JobRow } from "../../../shared/protocol/views/job.ts";
import { isActive, jobLabel } from "./jobRows.ts";

/** What was going on when it was last looked at: kept over a reload of the window. */
export type Watched = {
  readonly active: readonly string[];
  readonly evolution: boolean;
  /** Those that had failed; undefined before the first look. */
  readonly failed?: readonly string[] | undefined;
};

/** A failure that is told once. */
export type FailureNote = { readonly message: string; readonly job: string | null };

/**
 * What has failed since the last look: jobs that were not over or not there then, and an evolution that was running. Cancelled
 * jobs are nobody's news: somebody cancelled them.
 */
export function failuresSince(
  before: Watched,
  { jobs, evolution }: { readonly jobs: readonly JobRow[]; readonly evolution: EvolutionStatus },
): { readonly notes: readonly FailureNote[]; readonly watched: Watched } {
  const over = jobs.filter(({ state }) => state === "failed" || state === "lost");
  // Some fail faster than anybody looks.
  const failed = over.filter(({ id }) => before.active.includes(id) || before.failed?.includes(id) === false);
  const notes = failed.map((job) => ({
    message: `${jobLabel(job)} failed. ${job.failure?.message ?? ""}`.trim(),
    job: job.id,
  }));
  const stopped = before.evolution && (evolution.state === "failed" || evolution.state === "blocked");
  // One word for one cause: an evolution that stopped because of a job says so in the job's words.
  const isTold = jobs.some(({ failure }) => failure !== null && evolution.message.includes(failure.message));
  return {
    notes:
      stopped && !isTold
        ? [...notes, { message: `The evolution stopped. ${evolution.message}`, job: null }]
        : notes,
    watched: {
      active: jobs.filter(isActive).map(({ id }) => id),
      evolution: evolution.state === "running",
      failed: over.map(({ id }) => id),
    },
  };
}
