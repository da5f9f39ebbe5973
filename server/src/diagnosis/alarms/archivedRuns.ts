import type { MetricNames } from "../../../../shared/spec/metricNames.ts";
import type { DiagnosticSpec } from "../../../../shared/spec/diagnostic.ts";
import type { Store } from "../../evidence/archive/store.ts";
import { numberOf, stringOf } from "../../evidence/store/rows.ts";
import { metricAskedFor } from "../metricNames.ts";
import { metricsOfCondition, type Curves } from "../curves.ts";
import { lostMetrics, metricGaps } from "../training.ts";
import type { ArchivedRun } from "./record.ts";

interface Series {
  readonly steps: number[];
  readonly values: number[];
  lostFrom?: number | undefined;
  gaps?: readonly number[] | undefined;
}

/** The training runs of the archive with the metrics that these alarms and their judgement read, in the order of their names. */
export async function archivedRuns(
  store: Store,
  alarms: readonly DiagnosticSpec[],
  own: MetricNames = {},
): Promise<ArchivedRun[]> {
  const names = await store.query({
    sql: "SELECT DISTINCT name FROM metrics WHERE value IS NOT NULL",
    params: [],
  });
  const asked = new Set(["score", "reward", ...alarms.flatMap(metricsOfCondition)]);
  const everyName = names.map((row) => stringOf(row, "name"));
  // A run may name a metric otherwise than another one, so all names that any of them could mean are read.
  const wanted = everyName.filter((name) =>
    [...asked].some((role) => metricAskedFor(role, new Set([name]), own) !== undefined),
  );
  const runs = new Map<string, Map<string, Series>>();
  for (const row of await store.query({
    sql: `SELECT version, run, name, step, arg_max(value, (source, line)) AS value FROM metrics
          WHERE value IS NOT NULL AND name IN (SELECT unnest(?))
          GROUP BY version, run, name, step ORDER BY version, run, name, step`,
    params: [wanted],
  })) {
    const run = stringOf(row, "run");
    const key = JSON.stringify([stringOf(row, "version"), run]);
    const of = runs.get(key) ?? new Map<string, Series>();
    runs.set(key, of);
    const series = of.get(stringOf(row, "name")) ?? { steps: [], values: [] };
    of.set(stringOf(row, "name"), series);
    series.steps.push(numberOf(row, "step"));
    series.values.push(numberOf(row, "value"));
  }
  for (const { version, run, name, since } of await lostMetrics(store, wanted)) {
    const series = runs.get(JSON.stringify([version, run]))?.get(name);
    if (series !== undefined) series.lostFrom = since;
  }
  for (const { version, run, name, step } of await metricGaps(store, wanted)) {
    const series = runs.get(JSON.stringify([version, run]))?.get(name);
    if (series !== undefined) series.gaps = [...(series.gaps ?? []), step];
  }
  return [...runs].map(([key, series]) => ({
    run: (JSON.parse(key) as [string, string])[1],
    curves: curvesOf(series, own),
  }));
}

/** The series of a run as conditions ask for them. */
export function curvesOf(series: ReadonlyMap<string, Series>, own: MetricNames = {}): Curves {
  const present = new Set(series.keys());
  return (asked) => {
    const name = metricAskedFor(asked, present, own);
    const found = name === undefined ? undefined : series.get(name);
    return name === undefined || found === undefined ? null : { name, ...found };
  };
}
