import type { PathsThere } from "./executor.ts";
import type { TrainerData } from "./trainerData.ts";

/** Where things of a job are on the machine that runs it. */
export interface JobPaths {
  readonly cwd: string;
  readonly policyOut: string;
  readonly policyIn: string | undefined;
  readonly data: readonly TrainerData[];
}

/** The paths of a job: those of this machine, or what `there` tells of another one. */
export function pathsOf(here: JobPaths, there: PathsThere | undefined): JobPaths {
  if (there === undefined) return here;
  const { projectDirectory: cwd, policyOut, policyIn, data } = there;
  return { cwd, policyOut, policyIn, data };
}
