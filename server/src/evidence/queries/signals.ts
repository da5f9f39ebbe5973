import { zeroSpread } from "../../../../shared/model/groupSpread.ts";
import type { Store } from "../store/database.ts";
import { numberOf, numberOrNull, stringOrNull } from "../store/rows.ts";
import { scopeCondition, type EvidenceScope } from "../store/split.ts";

/**
 * The runs of which any outcome is known, as the table `graded` of a WITH clause after the rollouts `scoped`. There an unknown
 * outcome is one that broke, and its reward, usually 0, is not one that the policy earned; a source without verdicts has
 * unknown outcomes only, and means its rewards.
 */
export const gradedRuns = "graded AS (SELECT DISTINCT run FROM scoped WHERE outcome <> 'unknown')";

/** Whether the reward of a rollout is one that the policy earned, over a table with `outcome` and `run`. */
export const isEarned = "NOT (outcome = 'unknown' AND run IN (SELECT run FROM graded))";

/**
 * The standard deviation of what was earned in a group; NULL where that is 0 but a rollout that broke could have differed, and
 * where fewer than two rewards were earned.
 */
export const earnedSpread = ((): string => {
  const earned = `FILTER (${isEarned})`;
  const spread = `stddev_pop(reward) ${earned}`;
  const isSettled = `${spread} > ${zeroSpread} OR count(reward) FILTER (NOT ${isEarned}) = 0`;
  return `CASE WHEN count(reward) ${earned} > 1 AND (${isSettled}) THEN ${spread} END`;
})();

export interface GroupSignals {
  /** Groups with at least two rewards of which the spread is known; one reward has no spread. */
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
    sql: `WITH scoped AS (SELECT r.run, r.step, r."group" AS g, r.reward, r.outcome FROM rollouts r
                          WHERE ${where.sql} AND r.reward IS NOT NULL),
               ${gradedRuns},
               spreads AS (SELECT ${earnedSpread} AS spread FROM scoped GROUP BY run, step, g HAVING count(*) > 1),
               earned AS (SELECT reward FROM scoped WHERE ${isEarned}),
               top AS (SELECT reward, count(*) AS n FROM earned GROUP BY reward ORDER BY n DESC, reward LIMIT 1)
          SELECT count(spread) AS groups, count(*) FILTER (spread <= ${zeroSpread}) AS dead, avg(spread) AS spread,
                 (SELECT reward FROM top) AS top_reward,
                 (SELECT n FROM top) / (SELECT count(*) FROM earned) AS top_share
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
