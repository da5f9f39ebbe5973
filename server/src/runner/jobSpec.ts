import { z } from "zod";

/** Ids of jobs: safe as folder names everywhere. */
export const JobId = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/,
    "Use 1 to 100 letters, digits, '.', '_' or '-', starting with a letter or digit.",
  );

/** What to run. Submitting the same id again is allowed with exactly the same values only. */
export const JobSpec = z.object({
  id: JobId,
  /** Program and arguments; no shell. */
  command: z.array(z.string().min(1)).min(1),
  cwd: z.string().min(1),
  /** Declared variables; the executor adds a minimal base and EVO_RUN_DIR, EVO_RUN_ID, EVO_JOB, EVO_BUDGET_SECONDS. */
  environment: z.record(z.string(), z.string()),
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

/** `job.json`: the spec and what the executor added. */
export const JobFile = z.object({
  protocol: z.literal(1),
  spec: JobSpec,
  /** The base environment of the engine that submitted; not part of the spec's identity. */
  inherited: z.record(z.string(), z.string()),
  created: z.iso.datetime(),
});
export type JobFile = z.infer<typeof JobFile>;

/** Variables that a job gets from the engine's own environment: nothing that could hold a secret. */
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

/** The minimal base environment of a job. */
export function baseEnvironment(from: NodeJS.ProcessEnv = process.env): Record<string, string> {
  const base: Record<string, string> = {};
  for (const name of inheritedNames) {
    const value = from[name];
    if (value !== undefined && value !== "") base[name] = value;
  }
  base["PATH"] ??= "/usr/local/bin:/usr/bin:/bin";
  return base;
}

/** Variables by which every process of a job can be found, also one that left its process group. */
export function jobMarker(id: string, directory: string): Record<string, string> {
  return { EVO_JOB: id, EVO_RUN_DIR: directory };
}

/** The whole environment of a job. The contract's variables win over declared ones. */
export function jobEnvironment(job: JobFile, directory: string): Record<string, string> {
  const { id, environment, budgetSeconds } = job.spec;
  return {
    ...job.inherited,
    ...environment,
    ...jobMarker(id, directory),
    EVO_RUN_ID: id,
    EVO_BUDGET_SECONDS: String(budgetSeconds),
  };
}
