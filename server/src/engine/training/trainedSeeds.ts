import type { VersionRecord } from "../../lineage/records/versionRecord.ts";
import type { TrainedSeed } from "../../loop/ports.ts";

type Jobs = Pick<VersionRecord, "name" | "jobs">;

/**
 * The trainings of a version that finished, each seed once, by the ledger. `before`: the seeds of a job whose entry names
 * none, as in earlier releases, which ran one job per seed of trainer.seeds and wrote one entry.
 */
export function trainedSeeds({ name, jobs }: Jobs, before: readonly number[]): TrainedSeed[] {
  const found = new Map<number, TrainedSeed>();
  for (const { id, state, seeds = before, seconds } of jobs) {
    if (state !== "finished" || !isTraining(id, name)) continue;
    const each = seconds === null ? null : seconds / Math.max(1, seeds.length);
    for (const seed of seeds) if (!found.has(seed)) found.set(seed, { seed, seconds: each });
  }
  return [...found.values()];
}

/** The seeds of all jobs of a version that are over, however they ended; `before` where the ledger has no job of it. */
export function seedsRun({ name, jobs }: Jobs, before: readonly number[]): number[] {
  const own = jobs.filter(({ id }) => isTraining(id, name));
  return own.length === 0 ? [...before] : [...new Set(own.flatMap(({ seeds = before }) => seeds))];
}

/** An entry of the loop about a training, or about the measurement that made the base policy; no rerun, no second evaluation. */
function isTraining(id: string, version: string): boolean {
  const all = `job:${version}:train`;
  return id === all || (id.startsWith(`${all}:s`) && /^\d+$/.test(id.slice(`${all}:s`.length)));
}
