import type { Store } from "../store/database.ts";
import { numberOf, numberOrNull, stringOf } from "../store/rows.ts";

/** One metric of a version over its training steps; the values are null where no step has one. */
export interface MetricSummary {
  readonly name: string;
  /** Steps, over all runs, at which it has a value. */
  readonly steps: number;
  readonly first: number | null;
  readonly last: number | null;
  readonly min: number | null;
  readonly max: number | null;
}

/** Every metric of a version, by name. Of a step that was written twice the later line counts. */
export async function metricSummaries(store: Store, version: string): Promise<MetricSummary[]> {
  const rows = await store.query({
    sql: `WITH kept AS (
            SELECT name, run, step, arg_max(value, (source, line)) AS value FROM metrics
            WHERE version = ? AND value IS NOT NULL GROUP BY name, run, step)
          SELECT name, count(*) AS steps, arg_min(value, (step, run)) AS first, arg_max(value, (step, run)) AS last,
                 min(value) AS low, max(value) AS high
          FROM kept GROUP BY name ORDER BY name`,
    params: [version],
    of: [version],
  });
  return rows.map((row) => ({
    name: stringOf(row, "name"),
    steps: numberOf(row, "steps"),
    first: numberOrNull(row, "first"),
    last: numberOrNull(row, "last"),
    min: numberOrNull(row, "low"),
    max: numberOrNull(row, "high"),
  }));
}
