import type { LocalExecutor } from "../../../server/src/runner/local.ts";
import { skipBecause } from "../base/skip.ts";

/** Skips a test, or from a `before` hook all tests of its suite, where jobs cannot be confined, and says why. */
export async function needsConfinement(context: Mocha.Context, executor: LocalExecutor): Promise<void> {
  const can = await executor.confinement();
  if (can.by === null) skipBecause(context, `this machine cannot confine jobs: ${can.reason}`);
}
