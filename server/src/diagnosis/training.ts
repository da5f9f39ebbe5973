import type { MetricSummary } from "../evidence/queries/metricSummary.ts";
import { numberOf, stringOf } from "../evidence/store/rows.ts";
import type { Store } from "../evidence/archive/store.ts";
import type { MetricFacts } from "../predicate/facts.ts";
import type { MetricNames } from "../../../shared/spec/metricNames.ts";
import { fewestLost, type Curves } from "./curves.ts";
import { onCommonSteps } from "./fromRollouts/joinRuns.ts";
import { rolloutCurves } from "./fromRollouts/rolloutCurves.ts";
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

/** The curves that the rollouts gave, as metrics among the others. */
export const computedMetrics = (curves: Curves): KeyMetric[] =>
  Object.keys(metricRoles).flatMap((role) => {
    const { name, values, rollouts } = curves(role) ?? { name: "", values: [], rollouts: undefined };
    const [first, last] = [values[0], values.at(-1)];
    if (rollouts === undefined || first === undefined || last === undefined) return [];
    const sorted = values.toSorted((a, b) => a - b);
    const [min = first, max = last] = [sorted[0], sorted.at(-1)];
    return [{ role, name, steps: values.length, first, last, min, max }];
  });

/**
 * The series of metrics of a version, each by its exact name or by what the field calls it; those that it lacks are left
 * out. Of a step that was written twice the later line counts; several runs follow each other within a step. What the run
 * does not log and its rollouts tell is computed from these.
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
  const logged =
    wanted.length === 0 ? new Map<string, MetricFacts>() : await seriesOf(store, version, wanted);
  const found = new Map<string, MetricFacts>();
  for (const [name, exact] of exactOf) {
    const of = exact === undefined ? undefined : logged.get(exact);
    if (of !== undefined) found.set(name, of);
  }
  const lacking = lackingIn(asked, (role) => metricAskedFor(role, present, own) !== undefined);
  for (const [name, curve] of await rolloutCurves(store, version, lacking)) found.set(name, curve);
  return found;
}

/** What is asked for and not logged. A run that logs a reward needs no score beside it, and the other way round. */
function lackingIn(asked: readonly string[], isLogged: (role: string) => boolean): readonly string[] {
  const judged = ["score", "reward"];
  const isJudged = judged.some(isLogged);
  return asked.filter((name) => !isLogged(name) && !(isJudged && judged.includes(name)));
}

async function seriesOf(
  store: Store,
  version: string,
  wanted: readonly string[],
): Promise<ReadonlyMap<string, MetricFacts>> {
  const byName = new Map<string, { run: string; step: number; value: number }[]>();
  for (const row of await store.query({
    sql: `SELECT name, run, step, arg_max(value, (source, line)) AS value FROM metrics
          WHERE version = ? AND value IS NOT NULL AND name IN (SELECT unnest(?))
          GROUP BY name, run, step ORDER BY name, step, run`,
    params: [version, wanted],
  })) {
    const name = stringOf(row, "name");
    const points = byName.get(name) ?? [];
    byName.set(name, points);
    points.push({ run: stringOf(row, "run"), step: numberOf(row, "step"), value: numberOf(row, "value") });
  }
  const lost = new Map<string, number>();
  for (const { name, since } of await lostMetrics(store, wanted, version))
    lost.set(name, Math.min(since, lost.get(name) ?? Infinity));
  const gaps = new Map<string, number[]>();
  for (const { name, step } of await metricGaps(store, wanted, version)) {
    const of = gaps.get(name) ?? [];
    gaps.set(name, of);
    if (of.at(-1) !== step) of.push(step);
  }
  return new Map(
    [...byName].map(([name, points]) => {
      const kept = onCommonSteps(points);
      const [steps, values] = [kept.map(({ step }) => step), kept.map(({ value }) => value)];
      return [name, { name, steps, values, lostFrom: lost.get(name), gaps: gaps.get(name) }];
    }),
  );
}

/** A step at which a run has NaN, infinity or nothing in place of a metric, between two at which it has a number. */
export interface MetricGap {
  readonly version: string;
  readonly run: string;
  readonly name: string;
  readonly step: number;
}

/** The steps without a number, of a version or of all, after which numbers came back. */
export async function metricGaps(
  store: Store,
  names: readonly string[],
  version?: string,
): Promise<readonly MetricGap[]> {
  const rows = await store.query({
    sql: `WITH kept AS (
            SELECT version, run, name, step, arg_max(value, (source, line)) AS value FROM metrics
            WHERE name IN (SELECT unnest(?))${version === undefined ? "" : " AND version = ?"} GROUP BY version, run, name, step),
          ends AS (
            SELECT *, min(step) FILTER (value IS NOT NULL) OVER (PARTITION BY version, run, name) AS first,
                   max(step) FILTER (value IS NOT NULL) OVER (PARTITION BY version, run, name) AS last FROM kept)
          SELECT version, run, name, step FROM ends WHERE value IS NULL AND step > first AND step < last
          ORDER BY version, name, step, run`,
    params: [names, ...(version === undefined ? [] : [version])],
  });
  return rows.map((row) => ({
    version: stringOf(row, "version"),
    run: stringOf(row, "run"),
    name: stringOf(row, "name"),
    step: numberOf(row, "step"),
  }));
}

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
