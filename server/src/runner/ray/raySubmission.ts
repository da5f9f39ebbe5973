import { createHash } from "node:crypto";
import { basename, posix } from "node:path";
import type { RaySpec } from "../../../../shared/spec/host.ts";
import { JobId } from "../../../../shared/model/jobId.ts";
import type { JobSpec } from "../job/jobSpec.ts";
import { shellWord } from "../../base/shellWord.ts";
import type { RaySubmission } from "./rayClient.ts";

/** Ray's name for a job: the same for the same job directory, as runs of different projects may have the same id. */
export function submissionId(directory: string): string {
  const key = createHash("sha256").update(posix.normalize(directory)).digest("hex").slice(0, 12);
  return `evo-${key}-${JobId.parse(basename(directory))}`;
}

/**
 * The line that Ray has a shell run: the keeper with our own words, each quoted. Of what a project says, only the names of
 * variables are in it; values, the command and its folder lie in the job directory.
 */
export function entrypoint(keeper: string, directory: string, names: readonly string[]): string {
  for (const name of names)
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) throw new Error(`Not the name of a variable: ${name}`);
  return ["exec sh", ...[keeper, "ray", directory, ...names].map(shellWord)].join(" ");
}

const units = { K: 1024, M: 1024 ** 2, G: 1024 ** 3, T: 1024 ** 4 };

function bytesOf(memory: string): number {
  const [, number = "", unit = ""] = /^(\d+)([KMGT]?)$/.exec(memory) ?? [];
  return Number(number) * (unit in units ? units[unit as keyof typeof units] : 1);
}

/** What Ray is asked for a job, whose GPUs are those of `spec`. */
export function submissionOf(ray: RaySpec, spec: JobSpec, keeper: string, directory: string): RaySubmission {
  const declared = ray.runtimeEnv.env_vars ?? {};
  const gpus = ray.gpus ?? spec.gpus;
  return {
    ...ray.options,
    ...(ray.cpus === undefined ? {} : { entrypoint_num_cpus: ray.cpus }),
    ...(gpus === 0 ? {} : { entrypoint_num_gpus: gpus }),
    ...(ray.memory === undefined ? {} : { entrypoint_memory: bytesOf(ray.memory) }),
    ...(Object.keys(ray.resources).length === 0 ? {} : { entrypoint_resources: ray.resources }),
    metadata: { ...ray.metadata, evotrainer_run: spec.id },
    runtime_env: {
      ...ray.runtimeEnv,
      env_vars: {
        ...declared,
        // Ray kills three seconds after its TERM, unless it is told here; the keeper does so after the job's own grace.
        RAY_JOB_STOP_WAIT_TIME_S: String(Math.ceil(spec.graceSeconds) + 5),
        RAY_JOB_STOP_SIGNAL: "SIGTERM",
      },
    },
    submission_id: submissionId(directory),
    entrypoint: entrypoint(keeper, directory, Object.keys(declared)),
  };
}
