import type { LedgerEntry } from "../../../../shared/ledger/ledger.ts";
import type { Amounts } from "./spending.ts";

/** What the next version will take, and from what that is known. */
export interface Estimate {
  /** For one version. */
  readonly each: Amounts;
  /** From how many versions that were trained; 0: from the limit of a job, which it cannot exceed. */
  readonly from: number;
}

type JobEntry = Extract<LedgerEntry, { type: "job" }>;

export interface EstimateQuestion {
  /** Job entries of the domain, newest last. */
  readonly jobs: readonly JobEntry[];
  readonly seeds: number;
  /** `trainer.budgetSeconds`: a job is stopped after that. */
  readonly budgetSeconds: number;
  readonly gpus: number;
  /** What an hour of a job costs on the machine that it will probably run on. */
  readonly hourly: number;
  /** Jobs that run at the same time. */
  readonly parallel: number;
}

/** The median of the finished jobs of earlier versions, per seed; before there are any, all that a job may take. */
export function estimateEach(question: EstimateQuestion): Estimate {
  const { jobs, seeds, budgetSeconds, gpus, hourly, parallel } = question;
  const finished = jobs.filter((job) => job.state === "finished" && job.seconds !== null && job.seconds > 0);
  const perSeed = median(finished.map((job) => (job.seconds ?? 0) / (job.seeds?.length ?? 1)));
  const tokens = median(finished.map((job) => job.tokens ?? 0)) ?? 0;
  const seconds = (perSeed ?? budgetSeconds) * seeds;
  return {
    each: {
      gpuHours: (seconds * gpus) / 3600,
      money: (seconds / 3600) * hourly,
      wallClockHours: seconds / Math.max(1, Math.min(parallel, seeds)) / 3600,
      versions: 1,
      trainings: seeds,
      tokens,
    },
    from: perSeed === null ? 0 : finished.length,
  };
}

function median(values: readonly number[]): number | null {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle];
  if (upper === undefined) return null;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}
