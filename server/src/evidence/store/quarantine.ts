import type { Store } from "./database.ts";
import { numberOf, stringOf } from "./rows.ts";

export interface QuarantinedLine {
  readonly path: string;
  readonly line: number;
  readonly offset: number;
  readonly reason: string;
  /** The start of the line, at most 4 kB. Untrusted text. */
  readonly raw: string;
}

const replaced = "measured again by the job ";

/** Why a rollout of a split does not count that the run `by` measured again. Every such reason begins alike, and no other. */
export const replacedReason = (by: string, split: string): string =>
  `${replaced}${by}, whose rollouts of the ${split} split count instead`;

/** Refused lines in file order, those behind that are sound and were only replaced; of one version or of all; at most `limit`. */
export async function quarantinedLines(
  store: Store,
  options: { readonly version?: string; readonly limit?: number } = {},
): Promise<QuarantinedLine[]> {
  const { version } = options;
  const rows = await store.query({
    sql: `SELECT q.path, q.line, q."offset", q.reason, q.raw FROM quarantine q
          ${version === undefined ? "" : "WHERE q.source IN (SELECT source FROM sources WHERE version = ? UNION SELECT source FROM metrics WHERE version = ?)"}
          ORDER BY starts_with(q.reason, ?), q.source, q.line LIMIT ?`,
    params: [...(version === undefined ? [] : [version, version]), replaced, BigInt(options.limit ?? 100)],
  });
  return rows.map((row) => ({
    path: stringOf(row, "path"),
    line: numberOf(row, "line"),
    offset: numberOf(row, "offset"),
    reason: stringOf(row, "reason"),
    raw: stringOf(row, "raw"),
  }));
}
