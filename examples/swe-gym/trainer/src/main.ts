import { HarnessFileError } from "./harness.ts";
import { BudgetExceeded, carryOut, requestFrom } from "./run.ts";

function exitCode(error: unknown): number {
  if (error instanceof HarnessFileError) return 2;
  return error instanceof BudgetExceeded ? 124 : 1;
}

try {
  carryOut(requestFrom(process.env, process.cwd()), (line) => process.stdout.write(`${line}\n`));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = exitCode(error);
}
