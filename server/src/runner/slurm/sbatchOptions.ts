import type { SlurmSpec } from "../../../../shared/spec/host.ts";
import type { JobSpec } from "../job/jobSpec.ts";

/** Minutes that a job has in Slurm beside its budget: for the keeper to end it, and to say how. */
const slackMinutes = 3;

/** The options of sbatch for a job; each is one word, whatever it holds. */
export function sbatchOptions(slurm: SlurmSpec, { budgetSeconds, graceSeconds, gpus }: JobSpec): string[] {
  const minutes = slurm.minutes ?? Math.ceil((budgetSeconds + graceSeconds) / 60) + slackMinutes;
  const named = {
    time: String(minutes),
    partition: slurm.partition,
    account: slurm.account,
    qos: slurm.qos,
    reservation: slurm.reservation,
    constraint: slurm.constraint,
    "cpus-per-task": slurm.cpus?.toString(),
    mem: slurm.memory,
    nodes: slurm.nodes?.toString(),
    gres: slurm.gres ?? (gpus > 0 ? `gpu:${gpus}` : undefined),
  };
  return [
    ...Object.entries(named).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}=${value}`])),
    slurm.requeue ? "--requeue" : "--no-requeue",
    ...slurm.options,
  ];
}
