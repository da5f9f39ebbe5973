import type { Store } from "../../evidence/archive/store.ts";
import { scopeCondition, type EvidenceScope } from "../../evidence/store/split.ts";
import { filePath } from "../../evidence/store/sources.ts";
import { numberOf, numberOrNull, stringOf } from "../../evidence/store/rows.ts";
import type { EvidenceFollow } from "../../../../shared/protocol/results/evidenceFollow.ts";

export type FollowedStep = EvidenceFollow["steps"][number];
type FollowedMetric = EvidenceFollow["metrics"][number];

const mostSteps = 50;

/** The newest steps of a version in one split, the oldest of them first, with the labels that are stored. */
export async function newestSteps(store: Store, scope: EvidenceScope): Promise<FollowedStep[]> {
  const where = scopeCondition(scope);
  const rows = await store.query({
    sql: `SELECT r.step, count(*) AS rollouts, count(*) FILTER (r.outcome = 'pass') AS pass,
                 count(*) FILTER (r.outcome = 'fail') AS fail, avg(r.reward) FILTER (isfinite(r.reward)) AS reward
          FROM rollouts r WHERE ${where.sql} GROUP BY r.step ORDER BY r.step DESC LIMIT ${mostSteps}`,
    params: where.params,
  });
  // The oldest is the last: of a long run nothing is asked about earlier steps.
  const oldest = rows.at(-1);
  if (oldest === undefined) return [];
  const labels = await labelsByStep(store, scope, numberOf(oldest, "step"));
  return rows
    .map((row) => ({
      step: numberOf(row, "step"),
      rollouts: numberOf(row, "rollouts"),
      pass: numberOf(row, "pass"),
      fail: numberOf(row, "fail"),
      reward: numberOrNull(row, "reward"),
      labels: Object.fromEntries(labels.get(numberOf(row, "step")) ?? []),
    }))
    .reverse();
}

async function labelsByStep(
  store: Store,
  scope: EvidenceScope,
  fromStep: number,
): Promise<ReadonlyMap<number, readonly (readonly [label: string, rollouts: number])[]>> {
  const where = scopeCondition(scope);
  const rows = await store.query({
    sql: `SELECT r.step, l.label, count(DISTINCT r.rid) AS n FROM labels l JOIN rollouts r USING (rid)
          WHERE ${where.sql} AND r.step >= ${BigInt(fromStep)} GROUP BY r.step, l.label ORDER BY n DESC, l.label`,
    params: where.params,
  });
  const steps = new Map<number, [string, number][]>();
  for (const row of rows) {
    const step = numberOf(row, "step");
    const labels = steps.get(step) ?? [];
    steps.set(step, labels);
    labels.push([stringOf(row, "label"), numberOf(row, "n")]);
  }
  return steps;
}

/** The files that the rollouts of one step came from, at most 100. */
export async function filesOfStep(store: Store, scope: EvidenceScope): Promise<string[]> {
  const where = scopeCondition(scope);
  const rows = await store.query({
    sql: `SELECT DISTINCT s.path FROM rollouts r JOIN sources s USING (source) WHERE ${where.sql} ORDER BY s.path LIMIT 100`,
    params: where.params,
  });
  return rows.map((row) => filePath(store, stringOf(row, "path")));
}

/**
 * The newest value of each metric of a version up to a step, or its value at exactly that step. Of a step that was written
 * twice the later line counts.
 */
export async function metricsAt(store: Store, version: string, step?: number): Promise<FollowedMetric[]> {
  const at = step === undefined ? "" : `AND step = ${BigInt(step)}`;
  const rows = await store.query({
    sql: `SELECT name, max(step) AS step, arg_max(value, (step, source, line)) AS value FROM metrics
          WHERE version = ? AND value IS NOT NULL AND isfinite(value) ${at} GROUP BY name ORDER BY name LIMIT 1000`,
    params: [version],
  });
  return rows.map((row) => ({
    name: stringOf(row, "name"),
    step: numberOf(row, "step"),
    value: numberOf(row, "value"),
  }));
}
