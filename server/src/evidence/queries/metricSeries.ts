import type { Store } from "../store/database.ts";
import { numberOf, stringOf } from "../store/rows.ts";

/** One metric of one version along its training, as few points as asked for: the mean of each, and the ends over steps and runs. */
export interface MetricSeries {
  readonly version: string;
  readonly name: string;
  readonly runs: number;
  readonly points: readonly {
    /** The mean step of what the point stands for, and how many values that are. */
    readonly step: number;
    readonly values: number;
    readonly mean: number;
    readonly min: number;
    readonly max: number;
  }[];
}

/** How many steps each metric of some versions has, by name. Not a number and infinities are left out. */
export async function metricNames(
  store: Store,
  versions: readonly string[],
): Promise<{ name: string; steps: number }[]> {
  const rows = await store.query({
    sql: `SELECT name, count(DISTINCT step) AS steps FROM metrics
          WHERE version IN (${versions.map(() => "?").join(", ")}) AND value IS NOT NULL AND isfinite(value)
          GROUP BY name ORDER BY name`,
    params: [...versions],
  });
  return rows.map((row) => ({ name: stringOf(row, "name"), steps: numberOf(row, "steps") }));
}

/** The curves of metrics in versions, on one axis of steps. Of a step that was written twice the later line counts. */
export async function metricSeries(
  store: Store,
  { versions, names, points }: { versions: readonly string[]; names: readonly string[]; points: number },
): Promise<MetricSeries[]> {
  if (versions.length === 0 || names.length === 0) return [];
  const holes = (of: readonly unknown[]): string => of.map(() => "?").join(", ");
  const rows = await store.query({
    sql: `WITH kept AS (
            SELECT version, name, run, step, arg_max(value, (source, line)) AS value FROM metrics
            WHERE version IN (${holes(versions)}) AND name IN (${holes(names)})
              AND value IS NOT NULL AND isfinite(value)
            GROUP BY version, name, run, step),
          span AS (SELECT name, min(step) AS low, max(step) AS high FROM kept GROUP BY name),
          runs AS (SELECT version, name, count(DISTINCT run) AS runs FROM kept GROUP BY version, name)
          SELECT k.version AS version, k.name AS name, any_value(r.runs) AS runs,
                 floor((k.step - s.low) * CAST(? AS DOUBLE) / (s.high - s.low + 1)) AS place,
                 avg(k.step) AS step, count(*) AS n, avg(k.value) AS mean, min(k.value) AS low, max(k.value) AS high
          FROM kept k JOIN span s ON s.name = k.name JOIN runs r ON r.name = k.name AND r.version = k.version
          GROUP BY k.version, k.name, place ORDER BY k.version, k.name, place`,
    params: [...versions, ...names, points],
  });
  const found = new Map<string, MetricSeries & { points: MetricSeries["points"][number][] }>();
  for (const row of rows) {
    const [version, name] = [stringOf(row, "version"), stringOf(row, "name")];
    const key = JSON.stringify([version, name]);
    const series = found.get(key) ?? { version, name, runs: numberOf(row, "runs"), points: [] };
    found.set(key, series);
    series.points.push({
      step: numberOf(row, "step"),
      values: numberOf(row, "n"),
      mean: numberOf(row, "mean"),
      min: numberOf(row, "low"),
      max: numberOf(row, "high"),
    });
  }
  return [...found.values()];
}
