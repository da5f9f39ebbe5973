import type { MetricSummary } from "../evidence/queries/metricSummary.ts";
import { numberOf, stringOf } from "../evidence/store/rows.ts";
import type { Store } from "../evidence/archive/store.ts";
import type { MetricFacts } from "../predicate/facts.ts";

/**
 * What training scripts call the metrics that a reader looks at first (verl's names, then TRL's, then plain ones), in the
 * order in which they are shown.
 */
export const metricRoles: Readonly<Record<string, readonly string[]>> = {
  score: ["critic/score/mean", "score", "reward/mean"],
  reward: ["critic/rewards/mean", "reward", "rewards/mean"],
  entropy: ["actor/entropy", "actor/entropy_loss", "entropy"],
  kl: ["actor/kl_loss", "actor/ppo_kl", "kl"],
  grad_norm: ["actor/grad_norm", "grad_norm"],
  policy_loss: ["actor/pg_loss", "policy_loss"],
  clip_fraction: ["actor/pg_clipfrac", "clip_ratio/region_mean"],
  response_length: ["response_length/mean", "completions/mean_length"],
  truncated: ["response_length/clip_ratio", "completions/clipped_ratio"],
  keep_ratio: ["filter/keep_ratio", "keep_ratio"],
};

/** A metric under the name by which the field speaks of it. */
export interface KeyMetric extends MetricSummary {
  readonly role: string;
}

/** The metrics that a reader looks at first, those that there are. */
export function keyMetrics(summaries: readonly MetricSummary[]): KeyMetric[] {
  const byName = new Map(summaries.map((s) => [s.name, s]));
  return Object.entries(metricRoles).flatMap(([role, names]) => {
    const found = names.map((name) => byName.get(name)).find((s) => s !== undefined);
    return found === undefined ? [] : [{ role, ...found }];
  });
}

/** The exact names that a metric may have that is asked for by a name. */
const exactNames = (asked: string): readonly string[] =>
  Object.hasOwn(metricRoles, asked) ? [...(metricRoles[asked] ?? []), asked] : [asked];

/**
 * The series of metrics of a version, each by its exact name or by what the field calls it; those that it lacks are left
 * out. Of a step that was written twice the later line counts; several runs follow each other within a step.
 */
export async function metricsNamed(
  store: Store,
  version: string,
  asked: readonly string[],
): Promise<ReadonlyMap<string, MetricFacts>> {
  const wanted = [...new Set(asked.flatMap(exactNames))];
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
  const found = new Map<string, MetricFacts>();
  for (const name of asked) {
    const exact = exactNames(name).find((n) => series.has(n));
    const of = exact === undefined ? undefined : series.get(exact);
    if (exact !== undefined && of !== undefined) found.set(name, { name: exact, ...of });
  }
  return found;
}
