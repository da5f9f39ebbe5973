import { zeroSpread } from "../../../../shared/model/groupSpread.ts";
import type { Store } from "../store/database.ts";
import { numberOf, numberOrNull, stringOrNull } from "../store/rows.ts";
import { scopeCondition, versionsOf, type EvidenceScope } from "../store/split.ts";

/**
 * The rollouts `scoped` of a WITH clause once more as `told`, where `is_earned` says whether the policy earned the reward. In a run
 * of which any outcome is known, an unknown outcome is one that broke, and its reward, usually 0, was not earned; a source without
 * verdicts has unknown outcomes only, and means its rewards. Asked once for each rollout, because every mention of the runs is
 * another join.
 */
export const toldRollouts = `graded AS (SELECT DISTINCT run FROM scoped WHERE outcome <> 'unknown'),
    told AS (SELECT *, NOT (outcome = 'unknown' AND run IN (SELECT run FROM graded)) AS is_earned FROM scoped)`;

/**
 * How many rollouts have an outcome and no reward, although no rollout with that outcome has one: passes beside failures with a
 * reward of 0, say. Their rewards differ from those that are known, as far as anybody can tell.
 */
export const lackingRewards = ["pass", "fail"]
  .map(
    (outcome) =>
      `(CASE WHEN count(reward) FILTER (outcome = '${outcome}') = 0 THEN count(*) FILTER (outcome = '${outcome}') ELSE 0 END)`,
  )
  .join(" + ");

/**
 * Over `told`, the standard deviation of what was earned in a group; NULL where that is 0 but a rollout that broke, or one whose
 * reward is missing, could have differed, and where fewer than two rewards were earned.
 */
export const earnedSpread = ((): string => {
  const earned = "FILTER (is_earned)";
  const spread = `stddev_pop(reward) ${earned}`;
  const isSettled = `${spread} > ${zeroSpread} OR count(reward) FILTER (NOT is_earned) + ${lackingRewards} = 0`;
  return `CASE WHEN count(reward) ${earned} > 1 AND (${isSettled}) THEN ${spread} END`;
})();

/**
 * Whether rollouts of a group that have a reward passed and others failed; NULL where an unknown outcome leaves it open. A
 * group whose rewards differ while its outcomes do not is a phantom: its gradient comes from the shaping alone.
 */
export const outcomesDiffer = ((): string => {
  const rewarded = (outcome: string): string => `count(reward) FILTER (outcome = '${outcome}')`;
  return `CASE WHEN ${rewarded("pass")} > 0 AND ${rewarded("fail")} > 0 THEN TRUE
               WHEN count(reward) > 0 AND ${rewarded("unknown")} = 0 THEN FALSE END`;
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
  /** Of the groups with a spread: those of which the outcomes are known well enough, and those whose outcomes are the same. */
  readonly told: number;
  readonly phantom: number;
  /**
   * The most frequent reward value and the share of the rewards that it holds; no share where most rewards stand for what broke, or
   * where more rewards are missing, such as those of all passes, than have that value.
   */
  readonly topReward: number | null;
  readonly topShare: number | null;
}

/** Whether there is a gradient: over the GRPO groups (run, step, group) of a version and split. */
export async function groupSignals(store: Store, options: EvidenceScope): Promise<GroupSignals> {
  const where = scopeCondition(options);
  const [row = {}] = await store.query({
    sql: `WITH scoped AS (SELECT r.run, r.step, r."group" AS g, r.reward, r.outcome FROM rollouts r
                          WHERE ${where.sql}),
               ${toldRollouts},
               spreads AS (SELECT ${earnedSpread} AS spread, ${outcomesDiffer} AS differ FROM told GROUP BY run, step, g HAVING count(reward) > 1),
               earned AS (SELECT reward FROM told WHERE is_earned AND reward IS NOT NULL),
               lacking AS (SELECT ${lackingRewards} AS n FROM told),
               top AS (SELECT reward, count(*) AS n FROM earned GROUP BY reward ORDER BY n DESC, reward LIMIT 1)
          SELECT count(spread) AS groups, count(*) FILTER (spread <= ${zeroSpread}) AS dead, avg(spread) AS spread,
                 count(differ) FILTER (spread > ${zeroSpread}) AS told,
                 count(*) FILTER (spread > ${zeroSpread} AND NOT differ) AS phantom,
                 (SELECT reward FROM top) AS top_reward,
                 (SELECT CASE WHEN count(*) * 2 >= (SELECT count(reward) FROM scoped) AND (SELECT n FROM top) >= (SELECT n FROM lacking)
                              THEN (SELECT n FROM top) / (count(*) + (SELECT n FROM lacking)) END
                  FROM earned) AS top_share
          FROM spreads`,
    params: where.params,
    of: versionsOf(options),
  });
  const groups = numberOf(row, "groups");
  const dead = numberOf(row, "dead");
  return {
    groups,
    dead,
    kept: groups - dead,
    deadGroupRatio: groups === 0 ? null : dead / groups,
    spread: numberOrNull(row, "spread"),
    told: numberOf(row, "told"),
    phantom: numberOf(row, "phantom"),
    topReward: numberOrNull(row, "top_reward"),
    topShare: numberOrNull(row, "top_share"),
  };
}

/**
 * The component that goes along with the reward (by correlation) in the most phantom groups; null without one. A component
 * that is the reward itself is named only where there is no other: it says nothing about what the reward is made of.
 */
export async function phantomComponent(store: Store, options: EvidenceScope): Promise<string | null> {
  const where = scopeCondition(options);
  const key = `run, step, g`;
  const [row] = await store.query({
    sql: `WITH scoped AS (SELECT r.run, r.step, r."group" AS g, r.reward, r.outcome, r.components FROM rollouts r
                          WHERE ${where.sql} AND r.reward IS NOT NULL),
               ${toldRollouts},
               phantoms AS (SELECT ${key} FROM told GROUP BY ${key}
                            HAVING count(*) > 1 AND ${earnedSpread} > ${zeroSpread} AND NOT ${outcomesDiffer}),
               entries AS (SELECT ${key}, reward, unnest(map_entries(components)) AS entry
                           FROM scoped JOIN phantoms USING (${key})),
               parts AS (SELECT ${key}, reward, entry.key AS name, entry.value AS x FROM entries
                         WHERE isfinite(entry.value)),
               copies AS (SELECT name FROM parts GROUP BY name HAVING max(abs(x - reward)) <= ${zeroSpread}),
               along AS (SELECT ${key}, name, name IN (SELECT name FROM copies) AS copy, abs(corr(x, reward)) AS c
                         FROM parts GROUP BY ${key}, name HAVING stddev_pop(x) > ${zeroSpread}),
               first AS (SELECT name FROM along
                         QUALIFY row_number() OVER (PARTITION BY ${key} ORDER BY copy, round(c, 9) DESC, name) = 1)
          SELECT name FROM first GROUP BY name ORDER BY count(*) DESC, name LIMIT 1`,
    params: where.params,
  });
  return row === undefined ? null : stringOrNull(row, "name");
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
    of: versionsOf(options),
  });
  return rows.map((row) => ({ reason: stringOrNull(row, "reason"), rollouts: numberOf(row, "rollouts") }));
}
