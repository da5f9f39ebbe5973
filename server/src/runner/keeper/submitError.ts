import { HarnessError } from "../../base/errors.ts";

/** What the keeper's refusal of a job means. `answer` is its line, `place` the job directory. */
export function submitError(id: string, place: string, answer: string): HarnessError {
  if (answer.startsWith("error conflict"))
    return new HarnessError(
      "badInput",
      `Another job ${id} is already in ${place}, perhaps from an earlier project in the same folder. If nobody needs it, remove that folder and try again.`,
    );
  if (answer.startsWith("error disk"))
    return new HarnessError(
      "diskFull",
      `The job ${id} cannot be written to ${place}: the disk is full or the folder is not yours; free some space and try again.`,
    );
  const [, slurm] = /^error slurm (.*)$/s.exec(answer) ?? [];
  if (slurm !== undefined)
    return new HarnessError(
      "jobFailed",
      `Slurm did not take the job ${id}: ${slurm.replace(/^sbatch: (?:error: )?/, "").trim()}; correct slurm of the host in evotrainer.yaml.`,
    );
  const [, ray] = /^error ray (.*)$/s.exec(answer) ?? [];
  if (ray !== undefined)
    return new HarnessError(
      "jobFailed",
      `Ray did not take the job ${id}: ${ray.trim()}; correct ray of the host in evotrainer.yaml.`,
    );
  return new HarnessError("jobFailed", `The keeper refused the job ${id} in ${place}: ${answer}`);
}
