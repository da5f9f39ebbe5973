import { shellWord } from "../keeper/payload.ts";
import type { JobSpec } from "../jobSpec.ts";
import type { GroupMember } from "../submitGroup.ts";
import type { HostPrograms } from "./hostPrograms.ts";

/** Who starts the jobs of a host: its keeper at once, or Slurm. Each gives lines of a shell script. */
export interface HostQueue {
  /** What of a job's spec this queue sees to itself. */
  prepare(spec: JobSpec): JobSpec;
  /** Behind the keeper's submit, whose answer it may replace by another `submitted` or `error` line. */
  submitted(programs: HostPrograms, runs: string, spec: JobSpec, directory: string): string;
  /** Instead of that, for jobs that the keeper has all accepted, where this queue can take them in one go. */
  together?(
    programs: HostPrograms,
    runs: string,
    spec: JobSpec,
    group: { readonly name: string; readonly members: readonly GroupMember[] },
  ): string;
  status(programs: HostPrograms, runs: string, ids: readonly string[]): string;
  cancel(programs: HostPrograms, directory: string): string;
}

const sh = (program: string, ...words: readonly string[]): string =>
  ["sh", ...[program, ...words].map((word, i) => (i === 1 ? word : shellWord(word)))].join(" ");

/** The keeper starts a job as soon as somebody asks for its status. */
export const keeperQueue: HostQueue = {
  prepare: (spec) => spec,
  submitted: (programs, runs, { id }) => `${keeperQueue.status(programs, runs, [id])} >/dev/null`,
  status: ({ keeper }, runs, ids) => sh(keeper, "status", runs, ...ids),
  cancel: ({ keeper }, directory) => sh(keeper, "cancel", directory),
};

/** `options` are those of sbatch for a job. */
export function slurmQueue(options: (spec: JobSpec) => readonly string[]): HostQueue {
  const gpus = new Map<string, number>();
  return {
    // Slurm gives out its GPUs itself; the keeper would count those of a node that the job is not on.
    prepare: (spec) => {
      gpus.set(spec.id, spec.gpus);
      return { ...spec, gpus: 0, batch: true };
    },
    submitted: ({ keeper, slurm }, _runs, spec, directory) =>
      sh(slurm, "submit", keeper, directory, ...options({ ...spec, gpus: gpus.get(spec.id) ?? 0 })),
    together: ({ keeper, slurm }, runs, spec, { name, members }) =>
      sh(
        slurm,
        "array",
        keeper,
        runs,
        name,
        ...members.map(({ id, index }) => `${index}:${id}`),
        "--",
        ...options({ ...spec, gpus: gpus.get(spec.id) ?? 0 }),
      ),
    status: ({ keeper, slurm }, runs, ids) => sh(slurm, "status", keeper, runs, ...ids),
    cancel: ({ keeper, slurm }, directory) => sh(slurm, "cancel", keeper, directory),
  };
}
