import { z } from "zod";
import { JobId } from "../../../../shared/model/jobId.ts";
import { Confine } from "../confine/step.ts";

/** What to run. Submitting the same id again is allowed with exactly the same values only. */
export const JobSpec = z.object({
  id: JobId,
  /** Program and arguments; no shell. */
  command: z.array(z.string().min(1)).min(1),
  cwd: z.string().min(1),
  /** Declared variables; the keeper adds a minimal base and EVO_RUN_DIR, EVO_RUN_ID, EVO_JOB, EVO_BUDGET_SECONDS. */
  environment: z.record(z.string(), z.string()),
  /** GPUs that the job gets for itself, in CUDA_VISIBLE_DEVICES; it waits until they are free. 0: it is not told. */
  gpus: z.int().nonnegative().max(1024).default(0),
  /** Slurm starts it, and gives it its GPUs. */
  batch: z.boolean().default(false),
  /** What it sees of the machine; left out: it runs as any program of the user. */
  confine: Confine.optional(),
  budgetSeconds: z.number().positive(),
  /** Time between the one TERM and the KILL. */
  graceSeconds: z.number().positive().default(10),
  /** The job is stopped when its *.jsonl files hold more. */
  evidenceLimitBytes: z
    .number()
    .positive()
    .default(8 * 1024 ** 3),
  /** A log over this size is moved to <log>.1 and starts again. */
  logLimitBytes: z
    .number()
    .positive()
    .default(64 * 1024 ** 2),
});
export type JobSpec = z.infer<typeof JobSpec>;
export type JobRequest = z.input<typeof JobSpec>;

/** Variables that a job gets from the environment of its keeper: nothing that could hold a secret. */
const inheritedNames = [
  "PATH",
  "HOME",
  "USER",
  "LOGNAME",
  "SHELL",
  "LANG",
  "LC_ALL",
  "LC_CTYPE",
  "TZ",
  "TMPDIR",
];

/** The environment that a keeper on this machine is started with; EVO_LOCKS is where its GPU locks lie. */
export function baseEnvironment(from: NodeJS.ProcessEnv = process.env): Record<string, string> {
  const base: Record<string, string> = {};
  for (const name of [...inheritedNames, "EVO_LOCKS", "EVO_KEEPER_PS", "EVO_GPU_SAMPLING"]) {
    const value = from[name];
    if (value !== undefined && value !== "") base[name] = value;
  }
  base["PATH"] ??= "/usr/local/bin:/usr/bin:/bin";
  return base;
}
