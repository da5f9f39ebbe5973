import "./compileLater.ts";
import type { Domain, Settings, Task } from "./domain.ts";
import { HarnessFileError } from "./harness.ts";
import { BudgetExceeded, carryOut, requestFrom } from "./run.ts";

function exitCode(error: unknown): number {
  if (error instanceof HarnessFileError) return 2;
  return error instanceof BudgetExceeded ? 124 : 1;
}

/** Does the run that the environment variables of the trainer contract ask for; a failure is one sentence and an exit code. */
export function runTrainer<T extends Task, S extends Settings>(domain: Domain<T, S>): void {
  try {
    carryOut(domain, requestFrom(process.env, process.cwd()), (line) => process.stdout.write(`${line}\n`));
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = exitCode(error);
  }
}
