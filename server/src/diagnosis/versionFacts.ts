import { actionNames } from "../evidence/contract/actions.ts";
import { ensureDerived } from "../evidence/store/derived.ts";
import { policyTurnsSql, toolEntropySql } from "../evidence/contract/features.ts";
import { numberOf, numberOrNull } from "../evidence/store/rows.ts";
import { groupSignals, lackingRewards, phantomComponent, toldRollouts } from "../evidence/queries/signals.ts";
import { stoppedMetrics, stoppedText } from "../evidence/queries/stoppedMetrics.ts";
import { scopeCondition, versionsOf, type EvidenceScope, type SplitScope } from "../evidence/store/split.ts";
import type { Row, SqlFragment, Store } from "../evidence/archive/store.ts";
import { scoreOf } from "../statistics/scores/score.ts";
import type { Aggregator } from "../statistics/scores/outcomes.ts";
import { groupTables } from "./groups.ts";
import { itemOutcomes } from "./countOutcomes.ts";

export interface VersionEvidence {
  readonly version: string;
  /** Split whose behaviours and score are looked at. */
  readonly scope: SplitScope;
  readonly aggregator: Aggregator;
  /** Failure class of its last training job. */
  readonly jobFailure?: string | null | undefined;
  /** Its ancestors in the lineage, the parent first; those without evidence are passed over. */
  readonly ancestors?: readonly string[] | undefined;
}

/** Every variable of a version by name; null where the evidence does not provide it. */
export type VersionValues = Readonly<Record<string, number | string | null>>;

/**
 * Computes the variables of a version. What says whether there is a gradient is read of the training split where that has
 * groups, like the groups themselves (`signalScope`); everything else of the split that is looked at.
 */
export async function versionValues(store: Store, evidence: VersionEvidence): Promise<VersionValues> {
  for (const table of ["features", "actions"] as const) await ensureDerived(store, table);
  const within: EvidenceScope = { ...evidence.scope, version: evidence.version };
  const signal = await signalScope(store, evidence);
  const score = scoreOf(await itemOutcomes(store, within), { aggregator: evidence.aggregator });
  return reproducible({
    ...(await ofRollouts(store, within)),
    ...(await ofRewards(store, signal)),
    ...(await ofCalls(store, within)),
    score: score?.value ?? null,
    score_low: score?.bounds[0] ?? null,
    score_high: score?.bounds[1] ?? null,
    turns_rise: evidence.scope.split === "selection" ? await turnsRise(store, evidence) : null,
    file_diversity: await fileDiversity(store, within),
    stopped_metrics: stoppedText(await stoppedMetrics(store, evidence.version)),
    job_failure: evidence.jobFailure ?? null,
  });
}

/** What is in the unit of the reward: of two reward functions these say nothing about each other. */
const inRewards = ["reward_mean", "reward_spread"] as const;

/** The values of a parent as far as those of its child can be compared with them. */
export function comparedWith(values: VersionValues, rewardDiffers: boolean | undefined): VersionValues {
  if (rewardDiffers !== true) return values;
  return { ...values, ...Object.fromEntries(inRewards.map((name) => [name, null])) };
}

/** Threads sum in an order of their own, which shows beyond the twelfth digit: the same evidence shall have the same values. */
function reproducible(values: VersionValues): VersionValues {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      typeof value === "number" ? Number(value.toPrecision(12)) : value,
    ]),
  );
}

/** Where the signals of training and the groups are read: the training split where it has any group with two rewards. */
export async function signalScope(
  store: Store,
  { version, scope }: Pick<VersionEvidence, "version" | "scope">,
): Promise<EvidenceScope> {
  const train: EvidenceScope = { split: "train", version };
  return (await groupSignals(store, train)).groups > 0 ? train : { ...scope, version };
}

async function one(store: Store, query: SqlFragment): Promise<Row> {
  const [row = {}] = await store.query(query);
  return row;
}

async function ofRollouts(store: Store, scope: EvidenceScope): Promise<VersionValues> {
  const where = scopeCondition(scope);
  const row = await one(store, {
    sql: `SELECT count(*) AS rollouts, avg((r.outcome = 'unknown')::INTEGER) AS unknown_rate,
                 avg(${policyTurnsSql}) AS turns_mean,
                 avg(${policyTurnsSql}) FILTER (r.outcome = 'fail') AS turns_mean_failed,
                 avg(r.tokens) AS tokens_mean
          FROM rollouts r JOIN features f ON f.rid = r.rid WHERE ${where.sql}`,
    params: where.params,
    of: versionsOf(scope),
  });
  return {
    rollouts: numberOf(row, "rollouts"),
    unknown_rate: numberOrNull(row, "unknown_rate"),
    turns_mean: numberOrNull(row, "turns_mean"),
    turns_mean_failed: numberOrNull(row, "turns_mean_failed"),
    tokens_mean: numberOrNull(row, "tokens_mean"),
  };
}

/**
 * What the rewards say. Length and reward are compared within groups, since a group's mean is taken off before anything is learned: an
 * item that is easy and takes long answers pays nobody for length. Where most rollouts have no group with another, all are compared.
 */
async function ofRewards(store: Store, scope: EvidenceScope): Promise<VersionValues> {
  const groups = await groupSignals(store, scope);
  const where = scopeCondition(scope);
  const row = await one(store, {
    sql: `WITH scoped AS (SELECT r.run, r.step, r."group" AS g, r.outcome, r.reward, r.tokens, r.logprob_mean
                          FROM rollouts r WHERE ${where.sql}),
               ${toldRollouts},
               earned AS (SELECT run, step, g, CASE WHEN is_earned THEN reward END AS reward, tokens, logprob_mean FROM told),
               grouped AS (SELECT count(reward + tokens) AS n, regr_sxy(reward, tokens) AS together, regr_sxx(reward, tokens) AS lengths,
                                  regr_syy(reward, tokens) AS rewards
                           FROM earned GROUP BY run, step, g HAVING count(reward + tokens) > 1),
               within AS (SELECT sum(n) AS n, CASE WHEN sum(lengths) > 0 AND sum(rewards) > 0
                                                     THEN sum(together) / sqrt(sum(lengths) * sum(rewards)) END AS correlation
                          FROM grouped)
          SELECT count(reward) AS rewards, CASE WHEN (SELECT ${lackingRewards} FROM told) = 0 THEN avg(reward) END AS reward_mean, avg(logprob_mean) AS logprob_mean,
                 CASE WHEN (SELECT n FROM within) * 2 >= count(reward + tokens) THEN (SELECT correlation FROM within)
                      WHEN stddev_pop(tokens) FILTER (reward IS NOT NULL) > 0
                       AND stddev_pop(reward) FILTER (tokens IS NOT NULL) > 0
                      THEN corr(tokens, reward) END AS correlation
          FROM earned`,
    params: where.params,
    of: versionsOf(scope),
  });
  return {
    reward_groups: groups.groups === 0 ? null : groups.groups,
    dead_group_ratio: groups.deadGroupRatio,
    phantom_group_ratio: groups.told === 0 ? null : groups.phantom / groups.told,
    phantom_component: groups.phantom === 0 ? null : await phantomComponent(store, scope),
    top_reward_share: groups.topShare,
    reward_spread: groups.spread,
    rewards: numberOf(row, "rewards") === 0 ? null : numberOf(row, "rewards"),
    reward_mean: numberOrNull(row, "reward_mean"),
    logprob_mean: numberOrNull(row, "logprob_mean"),
    length_reward_correlation: numberOrNull(row, "correlation"),
  };
}

async function ofCalls(store: Store, scope: EvidenceScope): Promise<VersionValues> {
  const where = scopeCondition(scope);
  const of = (map: string, kind: string): string => `coalesce(sum(a.${map}['${kind}']), 0)`;
  // Some sources say of a call only that it failed: a rate needs to know it of most of them.
  const failures = (calls: string, told: string, errors: string): string =>
    `CASE WHEN ${told} * 2 >= ${calls} THEN ${errors} / nullif(${told}, 0)::DOUBLE END`;
  const share = (kind: string): string =>
    `${of("action_counts", kind)} / nullif(sum(f.n_tool_calls), 0)::DOUBLE`;
  const ofAll = (map: string): string =>
    `coalesce(sum(list_sum([${actionNames.map((name) => `a.${map}['${name}']`).join(", ")}])), 0)`;
  // A call that failed after its edit, perhaps, is no error of an edit, and is an error of a call.
  const callsTold = `(${ofAll("action_told")} + sum(f.n_tool_errors) - ${ofAll("action_errors")})`;
  const edits = ["action_counts", "action_told", "action_errors"].map((map) => of(map, "edit"));
  const [editCalls = "", editsTold = "", editErrors = ""] = edits;
  const calling = "FILTER (f.n_tool_calls > 0)";
  const row = await one(store, {
    sql: `SELECT ${failures("sum(f.n_tool_calls)", callsTold, "sum(f.n_tool_errors)")} AS failures,
                 ${failures(editCalls, editsTold, editErrors)} AS edit_failures,
                 ${share("edit")} AS edits, ${share("test")} AS tests, ${share("search")} AS searches,
                 ${share("terminal")} AS commands,
                 CASE WHEN sum(f.n_tool_calls) > 0
                      THEN count(*) FILTER (a.action_counts['test'] > 0)
                           / count(*) FILTER (f.n_messages > 0)::DOUBLE END AS self_tests,
                 count(DISTINCT f.calls) ${calling} / nullif(count(*) ${calling}, 0)::DOUBLE AS diversity,
                 avg(${toolEntropySql}) AS entropy
          FROM rollouts r JOIN features f ON f.rid = r.rid JOIN actions a ON a.rid = r.rid WHERE ${where.sql}`,
    params: where.params,
    of: versionsOf(scope),
  });
  return {
    tool_failure_rate: numberOrNull(row, "failures"),
    edit_failure_rate: numberOrNull(row, "edit_failures"),
    edit_ratio: numberOrNull(row, "edits"),
    test_ratio: numberOrNull(row, "tests"),
    search_ratio: numberOrNull(row, "searches"),
    terminal_ratio: numberOrNull(row, "commands"),
    self_test_rate: numberOrNull(row, "self_tests"),
    sequence_diversity: numberOrNull(row, "diversity"),
    tool_entropy: numberOrNull(row, "entropy"),
  };
}

async function fileDiversity(store: Store, scope: EvidenceScope): Promise<number | null> {
  const tables = groupTables(scope, { withFiles: true, withTurns: true });
  const row = await one(store, {
    sql: `WITH ${tables.sql} SELECT 1 - avg(file_overlap) AS diversity FROM groups`,
    params: tables.params,
    of: versionsOf(scope),
  });
  return numberOrNull(row, "diversity");
}

/**
 * How many of the last evaluations in a row took more turns than the one before: the training steps of the version and,
 * before its first, those of its ancestors. Null without a second evaluation, or without one of the version itself.
 */
async function turnsRise(
  store: Store,
  { version, scope, ancestors = [] }: VersionEvidence,
): Promise<number | null> {
  const own = await turnsByStep(store, { ...scope, version });
  if (own.length === 0) return null;
  const turns = [...own];
  // No further back than the rise goes: a long lineage is not read for it.
  for (const name of ancestors) {
    if (turns.some((n, i) => i > 0 && n <= (turns[i - 1] ?? 0))) break;
    turns.unshift(...(await turnsByStep(store, { ...scope, version: name })));
  }
  if (turns.length < 2) return null;
  let rises = 0;
  for (let i = turns.length - 1; i > 0 && (turns[i] ?? 0) > (turns[i - 1] ?? 0); i--) rises++;
  return rises;
}

/** Mean turns of each training step at which the scope was sampled. */
async function turnsByStep(store: Store, scope: EvidenceScope): Promise<number[]> {
  const where = scopeCondition(scope);
  const rows = await store.query({
    sql: `SELECT avg(f.n_turns) AS turns FROM rollouts r JOIN features f ON f.rid = r.rid
          WHERE ${where.sql} AND f.n_messages > 0 GROUP BY r.step ORDER BY r.step`,
    params: where.params,
    of: versionsOf(scope),
  });
  return rows.map((row) => numberOf(row, "turns"));
}
