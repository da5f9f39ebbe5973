import type { MetricSummary } from "../evidence/queries/metricSummary.ts";
import { numberOf, stringOf } from "../evidence/store/rows.ts";
import type { Store } from "../evidence/archive/store.ts";
import type { MetricFacts } from "../predicate/facts.ts";
import type { MetricNames } from "../../../shared/spec/metricNames.ts";
import { metricAskedFor, metricRoles } from "./metricNames.ts";

/** A metric under the name by which the field speaks of it. */
export interface KeyMetric extends MetricSummary {
  readonly role: string;
}

/** The metrics that a reader looks at first, those that there are. */
export function keyMetrics(summaries: readonly MetricSummary[], own: MetricNames = {}): KeyMetric[] {
  const byName = new Map(summaries.map((s) => [s.name, s]));
  const present = new Set(byName.keys());
  return Object.keys(metricRoles).flatMap((role) => {
    const found = byName.get(metricAskedFor(role, present, own) ?? "");
    return found === undefined ? [] : [{ role, ...found }];
  });
}

/**
 * The series of metrics of a version, each by its exact name or by what the field calls it; those that it lacks are left
 * out. Of a step that was written twice the later line counts; several runs follow each other within a step.
 */
export async function metricsNamed(
  store: Store,
  version: string,
  asked: readonly string[],
  own: MetricNames = {},
): Promise<ReadonlyMap<string, MetricFacts>> {
  const names = await store.query({
    sql: "SELECT DISTINCT name FROM metrics WHERE version = ? AND value IS NOT NULL",
    params: [version],
  });
  const present = new Set(names.map((row) => stringOf(row, "name")));
  const exactOf = new Map(asked.map((name) => [name, metricAskedFor(name, present, own)]));
  const wanted = [...new Set(exactOf.values())].filter((name) => name !== undefined);
  const series = new Map<string, { steps: number[]; values: number[] }>();
  if (wanted.length === 0) return new Map();
  for (const row of await store.query({
    sql: `SELECT name, step, arg_max(value, (source, line)) AS value FROM metrics
          WHERE version = ? AND value IS NOT NULL AND name IN (SELECT unnest(?))
          GROUP BY name, run, step ORDER BY name, step, run`,
    params: [version, wanted],
  })) {
    const name = stringOf(row, "name");
    const of = series.get(name) ?? { steps: [], values: [] };
    series.set(name, of);
    of.steps.push(numberOf(row, "step"));
    of.values.push(numberOf(row, "value"));
  }
  const lost = new Map<string, number>();
  for (const { name, since } of await lostMetrics(store, wanted, version))
    lost.set(name, Math.min(since, lost.get(name) ?? Infinity));
  const found = new Map<string, MetricFacts>();
  for (const [name, exact] of exactOf) {
    const of = exact === undefined ? undefined : series.get(exact);
    if (exact !== undefined && of !== undefined)
      found.set(name, { ...of, name: exact, lostFrom: lost.get(exact) });
  }
  return found;
}

/** From so many steps without a number on a metric counts as lost; it has to have had as many before. */
const fewestLost = 3;

/** A metric of a run that has no number any more. */
export interface LostMetric {
  readonly version: string;
  readonly run: string;
  readonly name: string;
  /** The first step without a number. */
  readonly since: number;
}

/**
 * The metrics, of a version or of all, in place of which a run has NaN, infinity or nothing until its end. What is logged now and then,
 * such as a validation score, has gaps before as well, and is not lost.
 */
export async function lostMetrics(
  store: Store,
  names: readonly string[],
  version?: string,
): Promise<readonly LostMetric[]> {
  const rows = await store.query({
    sql: `WITH kept AS (
            SELECT version, run, name, step, arg_max(value, (source, line)) AS value FROM metrics
            WHERE name IN (SELECT unnest(?))${version === undefined ? "" : " AND version = ?"} GROUP BY version, run, name, step),
          ends AS (
            SELECT *, max(step) FILTER (value IS NOT NULL) OVER (PARTITION BY version, run, name) AS last FROM kept),
          lost AS (
            SELECT version, run, name, min(step) FILTER (step > last) AS since, count(*) FILTER (step > last) AS n,
                   count(*) FILTER (step < last AND value IS NULL) AS gaps, count(value) AS told
            FROM ends GROUP BY version, run, name)
          SELECT version, run, name, since FROM lost
          WHERE n >= ${fewestLost} AND told >= ${fewestLost} AND gaps * 2 < n ORDER BY version, run, name`,
    params: [names, ...(version === undefined ? [] : [version])],
  });
  return rows.map((row) => ({
    version: stringOf(row, "version"),
    run: stringOf(row, "run"),
    name: stringOf(row, "name"),
    since: numberOf(row, "since"),
  }));
}
