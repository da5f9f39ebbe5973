import { counted } from "../../../../shared/words/numbers.ts";
import { toldRollouts } from "../../evidence/queries/signals.ts";
import { policyTurnsSql } from "../../evidence/contract/features.ts";
import { ensureFeatures } from "../../evidence/store/derived.ts";
import { numberOf, stringOf } from "../../evidence/store/rows.ts";
import { scopeCondition } from "../../evidence/store/split.ts";
import type { Store } from "../../evidence/archive/store.ts";
import { fewestItems, itemInterval, methodNames } from "../../statistics/intervals/itemInterval.ts";
import { meanInterval } from "../../statistics/intervals/meanInterval.ts";
import { moments } from "../../statistics/distributions/moments.ts";
import { itemDifferences, pairItems } from "../../statistics/scores/pairs.ts";
import type { Interval } from "../../statistics/distributions/quantile.ts";
import { compareBy, scoreBy, valueOf, type Evaluated } from "./chosen.ts";
import type { NamedMetric } from "../../statistics/scores/metric.ts";

/** A quantity of two versions: its difference with an interval, the value of the second with one, or why there is none. */
export interface Measured {
  /** A share in [0, 1], or a number in the unit of the evidence. */
  readonly unit: "share" | "value";
  readonly better: "higher" | "lower";
  readonly a: number | null;
  readonly b: number | null;
  readonly difference: number | null;
  /** Null where there is no interval that holds its level, and `because` says why. */
  readonly interval: Interval | null;
  readonly ofB: Interval | null;
  readonly method: string | null;
  readonly items: number;
  /** The difference at its ends when what is unknown is counted either way; null when nothing is unknown. */
  readonly outer: readonly [number, number] | null;
  readonly because: string | null;
}

/** Means over rollouts that the evidence has per rollout, and whether more is better. */
const columns = {
  turns_mean: { sql: policyTurnsSql, better: "lower" },
  tokens_mean: { sql: "r.tokens", better: "lower" },
  duration_mean: { sql: "r.duration_ms", better: "lower" },
  reward_mean: { sql: "r.reward", better: "higher" },
  logprob_mean: { sql: "r.logprob_mean", better: "lower" },
} as const;
export type Column = keyof typeof columns;

export const measuredNames: readonly string[] = Object.keys(columns);
/** Which way a mean over rollouts is better, unless somebody says otherwise. */
export const measuredBetter = (name: Column): "higher" | "lower" => columns[name].better;
export const isColumn = (name: string): name is Column => Object.hasOwn(columns, name);

export const tooFew = (n: number): string =>
  `${counted(n, "item")} in common: with fewer than ${fewestItems} no interval keeps its confidence level`;

/** A score by any of its metrics. Below twenty items its interval is what holds for any distribution. */
export function measuredScore(named: NamedMetric, a: Evaluated, b: Evaluated): Measured {
  const { metric } = named;
  const comparison = compareBy(named, a, b, { confidence: 0.95 });
  const { score } = scoreBy(named, b);
  const values = { a: valueOf(a.outcomes, metric), b: valueOf(b.outcomes, metric) };
  const ofB = score === null || ("type" in score && score.type === "refused") ? null : score;
  const common = {
    unit: "share",
    better: "higher",
    ...values,
    ofB: ofB === null ? null : { low: ofB.low, high: ofB.high },
  } as const;
  if (comparison === null)
    return {
      ...common,
      difference: null,
      interval: null,
      method: null,
      items: 0,
      outer: null,
      because: `the versions have no item in common with enough known outcomes for ${named.name}`,
    };
  const { low, high, items, difference, method = null, outer = null } = comparison;
  const found = { ...common, difference, items, outer };
  if (items >= fewestItems) return { ...found, interval: { low, high }, method, because: null };
  if (metric === "iqm") return { ...found, interval: null, method: null, because: tooFew(items) };
  const sampling = { confidence: 0.95, resamples: 1, seed: 1 };
  const pairs = pairItems(a.outcomes, b.outcomes, metric);
  const { exact } = itemInterval(itemDifferences(pairs, metric), "difference", sampling);
  const interval = { low: Math.min(low, exact.low), high: Math.max(high, exact.high) };
  return { ...found, interval, method: "exact bound", because: null };
}

/** A mean over items of what each rollout has. */
export async function measuredMean(
  store: Store,
  name: Column,
  versions: { readonly a: string; readonly b: string },
): Promise<Measured> {
  const [a, b] = [await meansByItem(store, name, versions.a), await meansByItem(store, name, versions.b)];
  const common = [...a].flatMap(([item, x]) => {
    const y = b.get(item);
    return y === undefined ? [] : [y - x];
  });
  const values = Float64Array.from(common);
  const { better } = columns[name];
  const mean = (of: ReadonlyMap<string, number>): number | null =>
    of.size === 0 ? null : moments([...of.values()]).mean;
  const lacking = name === "reward_mean" ? await oneSided(store, [versions.a, versions.b]) : undefined;
  if (lacking !== undefined)
    return {
      ...{
        unit: "value",
        better,
        a: null,
        b: null,
        difference: null,
        interval: null,
        ofB: null,
        method: null,
      },
      ...{ items: 0, outer: null, because: lacking },
    };
  const why =
    common.length === 0 ? `the versions have no item in common for which ${name} is known` : whyNone(values);
  return {
    unit: "value",
    better,
    a: mean(a),
    b: mean(b),
    difference: common.length === 0 ? null : moments(values).mean,
    interval: why === null ? intervalOf(values) : null,
    ofB: b.size < fewestItems || whyNone([...b.values()]) !== null ? null : intervalOf([...b.values()]),
    method: why === null ? methodNames[methodOf(values)] : null,
    items: common.length,
    outer: null,
    because: why,
  };
}

function whyNone(values: ArrayLike<number>): string | null {
  if (values.length < fewestItems) return tooFew(values.length);
  return moments(values).variance === 0
    ? "every item has the same value, so nobody knows how much items differ"
    : null;
}

/** Why the rewards of one of the versions have no mean: all passes lack one, say, and failures have one. */
async function oneSided(store: Store, versions: readonly string[]): Promise<string | undefined> {
  for (const version of versions) {
    const where = scopeCondition({ split: "selection", version });
    const [row] = await store.query({
      sql: `SELECT r.outcome FROM rollouts r WHERE ${where.sql} GROUP BY r.outcome
            HAVING r.outcome <> 'unknown' AND count(r.reward) = 0
               AND (SELECT count(r.reward) FROM rollouts r WHERE ${where.sql}) > 0`,
      params: [...where.params, ...where.params],
    });
    if (row === undefined) continue;
    const which = stringOf(row, "outcome") === "pass" ? ["pass", "failures"] : ["failure", "passes"];
    return `no ${which[0]} of ${version} has a reward: a mean would be that of its ${which[1]} alone`;
  }
  return undefined;
}

const methodOf = (values: ArrayLike<number>): "t" | "expanded" => (values.length < 50 ? "t" : "expanded");
const intervalOf = (values: ArrayLike<number>): Interval =>
  meanInterval(values, methodOf(values), { confidence: 0.95, resamples: 10_000, seed: 1 });

async function meansByItem(
  store: Store,
  name: Column,
  version: string,
): Promise<ReadonlyMap<string, number>> {
  await ensureFeatures(store);
  const where = scopeCondition({ split: "selection", version });
  const { sql } = columns[name];
  const rows = await store.query({
    sql: `WITH scoped AS (SELECT r.item, r.outcome, r.run, ${sql} AS x FROM rollouts r JOIN features f ON f.rid = r.rid
                          WHERE ${where.sql}),
               ${toldRollouts}
          SELECT item, avg(x) AS mean FROM told
          WHERE x IS NOT NULL ${name === "reward_mean" ? "AND is_earned" : ""} GROUP BY item ORDER BY item`,
    params: where.params,
  });
  return new Map(rows.map((row) => [stringOf(row, "item"), numberOf(row, "mean")]));
}
