import { zeroSpread } from "../../../shared/model/groupSpread.ts";
import type { Store } from "./database.ts";
import { numberOf, numberOrNull, stringOf, stringOrNull } from "./rows.ts";
import { scopeCondition, type EvidenceScope } from "./split.ts";

export interface GroupSignals {
  /** Groups with at least two rewards; one reward has no spread. */
  readonly groups: number;
  /** Groups whose reward std is about zero: they give no gradient. */
  readonly dead: number;
  readonly kept: number;
  /** dead / groups; null without groups. */
  readonly deadGroupRatio: number | null;
  /** Mean standard deviation (population) of the reward within a group. */
  readonly spread: number | null;
  /** The most frequent reward value and the share of the rewards that it holds. */
  readonly topReward: number | null;
  readonly topShare: number | null;
}

/** Whether there is a gradient: over the GRPO groups (run, step, group) of a version and split. */
export async function groupSignals(store: Store, options: EvidenceScope): Promise<GroupSignals> {
  const where = scopeCondition(options);
  const [row = {}] = await store.query({
    sql: `WITH scoped AS (SELECT r.run, r.step, r."group" AS g, r.reward FROM rollouts r
                          WHERE ${where.sql} AND r.reward IS NOT NULL),
               spreads AS (SELECT stddev_pop(reward) AS spread FROM scoped GROUP BY run, step, g HAVING count(*) > 1),
               top AS (SELECT reward, count(*) AS n FROM scoped GROUP BY reward ORDER BY n DESC, reward LIMIT 1)
          SELECT count(*) AS groups, count(*) FILTER (spread <= ${zeroSpread}) AS dead, avg(spread) AS spread,
                 (SELECT reward FROM top) AS top_reward,
                 (SELECT n FROM top) / (SELECT count(*) FROM scoped) AS top_share
          FROM spreads`,
    params: where.params,
  });
  const groups = numberOf(row, "groups");
  const dead = numberOf(row, "dead");
  return {
    groups,
    dead,
    kept: groups - dead,
    deadGroupRatio: groups === 0 ? null : dead / groups,
    spread: numberOrNull(row, "spread"),
    topReward: numberOrNull(row, "top_reward"),
    topShare: numberOrNull(row, "top_share"),
  };
}

/** How many rollouts ended for a reason; null where the source does not say why. */
export interface StopReasonCount {
  readonly reason: string | null;
  readonly rollouts: number;
}

/** Rollouts per stop reason, most frequent first. */
export async function stopReasons(store: Store, options: EvidenceScope): Promise<StopReasonCount[]> {
  const where = scopeCondition(options);
  const rows = await store.query({
    sql: `SELECT r.stop_reason AS reason, count(*) AS rollouts FROM rollouts r WHERE ${where.sql}
          GROUP BY reason ORDER BY rollouts DESC, reason`,
    params: where.params,
  });
  return rows.map((row) => ({ reason: stringOrNull(row, "reason"), rollouts: numberOf(row, "rollouts") }));
}

export interface MetricPoint {
  readonly run: string | null;
  readonly step: number;
  readonly value: number | null;
}

/** One metric over the training steps of a version or a run; of a step that was written twice the later line counts. */
export async function metricSeries(
  store: Store,
  options: { readonly name: string } & ({ readonly version: string } | { readonly run: string }),
): Promise<MetricPoint[]> {
  const [column, value] = "run" in options ? ["run", options.run] : ["version", options.version];
  const rows = await store.query({
    sql: `SELECT run, step, value FROM metrics WHERE name = ? AND ${column} = ?
          QUALIFY row_number() OVER (PARTITION BY source, step ORDER BY line DESC) = 1 ORDER BY run, step`,
    params: [options.name, value],
  });
  return rows.map((row) => ({
    run: row["run"] === null ? null : stringOf(row, "run"),
    step: numberOf(row, "step"),
    value: numberOrNull(row, "value"),
  }));
}

/** The names of the metrics of a version. */
export async function metricNames(store: Store, version: string): Promise<string[]> {
  const rows = await store.query({
    sql: "SELECT DISTINCT name FROM metrics WHERE version = ? ORDER BY name",
    params: [version],
  });
  return rows.map((row) => stringOf(row, "name"));
}
