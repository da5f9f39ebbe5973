import { createHash } from "node:crypto";
import { simulate } from "./tables.ts";

/**
 * A digest of what the statistics answer on a few datasets of every scenario. It changes when their answers do, and not
 * when their code is only written differently, so that stale tables are found without simulating them again.
 */
export function fingerprint(): string {
  const tables = simulate({ datasets: () => 4, resamples: 60, say: () => undefined });
  return createHash("sha256").update(JSON.stringify(tables)).digest("hex").slice(0, 16);
}
