import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Confiner } from "./step.ts";

/** The ways to confine a job, the best first. Their scripts lie beside the keeper, whose path this gets. */
export function shippedConfiners(keeper: string): Confiner[] {
  const script = (name: string): string => readFileSync(join(dirname(keeper), name), "utf8");
  return [{ by: "namespaces", script: script("confine.sh") }];
}
