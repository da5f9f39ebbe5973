import type { JobFacts } from "../job/jobDirectory.ts";
import { spreading } from "../confine/step.ts";
import { shellWord } from "../../base/shellWord.ts";
import type { JobSpec } from "../job/jobSpec.ts";
import type { GroupMember } from "../job/submitGroup.ts";
import type { HostPrograms } from "./hostPrograms.ts";

/** What a queue that is asked from here needs of a host. */
export interface QueuePlace {
  readonly programs: HostPrograms;
  /** The folder of the job directories there. */
  readonly runs: string;
  /** Carries out lines of a shell script there and gives what they print; they may be carried out twice. */
  run(script: string): Promise<string>;
}

/** A queue that is not asked by the shell of the host, but from here. What it says is written into the job directories. */
export interface AskedQueue {
  /** Gives it a job that the keeper has written down, once. `answer` is the host's line about that; gives that or another one. */
  handOver(spec: JobSpec, place: QueuePlace, answer: string): Promise<string>;
  /** Writes down what the queue says of jobs now; gives whether that was anything new. `now` is the time there. */
  look(jobs: ReadonlyMap<string, JobFacts>, now: Date, place: QueuePlace): Promise<boolean>;
  /** Ends a job, and gives whether it did; otherwise the host's own way is left. */
  cancel(id: string, facts: JobFacts, place: QueuePlace): Promise<boolean>;
  /** Lets go of its connections. */
  close(): void;
}

/** Who starts the jobs of a host: its keeper at once, Slurm or Ray. Each gives lines of a shell script. */
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
  /** Why its jobs cannot be confined, as a clause: they can have it run programs anywhere. */
  readonly spreads?: string;
  /** What is done beside these lines by a queue that is asked from here. */
  readonly asked?: AskedQueue;
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
    spreads: spreading.slurm,
  };
}
