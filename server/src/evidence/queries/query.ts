import type { Outcome, Split } from "../../../../shared/model/rollout.ts";
import { Outcome as OutcomeSchema, Split as SplitSchema } from "../../../../shared/model/rollout.ts";
import type { Store } from "../store/database.ts";
import type { Row, SqlFragment } from "../store/sql.ts";
import { tablesFor } from "../store/derived.ts";
import { conditionsOf, spoiledBy, type RolloutFilter } from "./rolloutFilter.ts";
import { cursorOf, parseCursor, type RolloutOrder } from "./rolloutOrder.ts";
import { pageOfRollouts } from "./rolloutPage.ts";
import { versionsOf } from "../store/split.ts";
import { numberOf, numberOrNull, stringOf, stringOrNull, stringsOf } from "../store/rows.ts";

/** A joined FROM and WHERE over `r` and, where the condition reads them, `f`. */
async function from(store: Store, filter: RolloutFilter): Promise<SqlFragment> {
  const condition = conditionsOf(filter);
  const tables = await tablesFor(store, condition.sql);
  return { sql: `FROM ${tables} WHERE ${condition.sql}`, params: condition.params };
}

/** How many rollouts there are by outcome; those that do not count are counted apart. */
export interface Counts extends Readonly<Record<Outcome, number>> {
  readonly total: number;
  /** Those that carry an invalidating label, whatever their outcome. */
  readonly notValid: number;
}

/** Rollouts of the scope by outcome; one that carries a label of `invalidating` is not valid, and has no outcome that counts. */
export async function countRollouts(
  store: Store,
  filter: RolloutFilter,
  invalidating: readonly string[] = [],
): Promise<Counts> {
  const { sql, params } = await from(store, filter);
  const spoiled = spoiledBy(invalidating);
  const rows = await store.query({
    sql: `SELECT r.outcome, ${spoiled.sql} AS spoiled, count(*) AS n ${sql} GROUP BY ALL`,
    params: [...spoiled.params, ...params],
  });
  const counts = { pass: 0, fail: 0, unknown: 0, notValid: 0 };
  for (const row of rows)
    counts[row["spoiled"] === true ? "notValid" : OutcomeSchema.parse(row["outcome"])] += numberOf(row, "n");
  return { ...counts, total: counts.pass + counts.fail + counts.unknown + counts.notValid };
}

/** What lists show of a rollout. */
export interface RolloutSummary {
  readonly rid: number;
  readonly id: string;
  readonly run: string;
  readonly version: string;
  readonly split: Split;
  readonly step: number;
  readonly item: string;
  readonly group: string;
  readonly sample: number;
  readonly seed: number | null;
  readonly outcome: Outcome;
  readonly reward: number | null;
  readonly stop_reason: string | null;
  readonly tokens: number | null;
  readonly labels: readonly string[];
}

export type ListOptions = RolloutFilter & {
  readonly orderBy?: RolloutOrder;
  readonly descending?: boolean;
  readonly limit?: number;
  /** What the page before returned as `next`. */
  readonly cursor?: string;
  readonly signal?: AbortSignal;
};

export interface RolloutPage {
  readonly rollouts: readonly RolloutSummary[];
  /** Cursor of the next page; absent on the last one. */
  readonly next?: string;
}

/** The summaries of the rollouts that `page` selects: it gives rid and place. */
function summaries({ sql, params }: SqlFragment): SqlFragment {
  return {
    sql: `WITH page AS (${sql}),
               named AS (SELECT rid, list(label ORDER BY label) AS labels FROM labels SEMI JOIN page USING (rid) GROUP BY rid)
          SELECT r.rid, r.id, r.run, r.version, r.split, r.step, r.item, r."group", r.sample, r.seed, r.outcome,
                 r.reward, r.stop_reason, r.tokens, coalesce(n.labels, []) AS labels
          FROM page JOIN rollouts r USING (rid) LEFT JOIN named n USING (rid) ORDER BY page.place`,
    params,
  };
}

/**
 * One page of rollouts in a stable order, rollouts without a value last; at most 1000.
 * @throws HarnessError badInput for a cursor that this query did not return, cancelled
 */
export async function listRollouts(store: Store, options: ListOptions): Promise<RolloutPage> {
  const limit = Math.max(1, Math.min(options.limit ?? 100, 1000));
  const sort = { by: options.orderBy ?? "arrival", descending: options.descending === true };
  const after = options.cursor === undefined ? undefined : parseCursor(sort, options.cursor);
  const { signal } = options;
  const found = await pageOfRollouts(store, { filter: options, sort, after, limit: limit + 1, signal });
  const page = found.slice(0, limit);
  const rollouts = await summariesOf(
    store,
    page.map(({ rid }) => rid),
  );
  const last = page.at(-1);
  return found.length > limit && last !== undefined ? { rollouts, next: cursorOf(sort, last) } : { rollouts };
}

/** What lists show of rollouts, in the order of `rids`; one that is gone is left out. */
export async function summariesOf(store: Store, rids: readonly number[]): Promise<RolloutSummary[]> {
  if (rids.length === 0) return [];
  const list = `[${rids.join(", ")}]::BIGINT[]`;
  const rows = await store.query(
    summaries({ sql: `SELECT unnest(${list}) AS rid, generate_subscripts(${list}, 1) AS place`, params: [] }),
  );
  return rows.map(summaryOf);
}

function summaryOf(row: Row): RolloutSummary {
  return {
    rid: numberOf(row, "rid"),
    id: stringOf(row, "id"),
    run: stringOf(row, "run"),
    version: stringOf(row, "version"),
    split: SplitSchema.parse(row["split"]),
    step: numberOf(row, "step"),
    item: stringOf(row, "item"),
    group: stringOf(row, "group"),
    sample: numberOf(row, "sample"),
    seed: numberOrNull(row, "seed"),
    outcome: OutcomeSchema.parse(row["outcome"]),
    reward: numberOrNull(row, "reward"),
    stop_reason: stringOrNull(row, "stop_reason"),
    tokens: numberOrNull(row, "tokens"),
    labels: stringsOf(row, "labels"),
  };
}

/** The results of an evaluation for the statistics, ordered by item, seed and sample. */
export async function outcomesByItem(store: Store, filter: RolloutFilter): Promise<RolloutSummary[]> {
  const { sql, params } = await from(store, filter);
  const place = "row_number() OVER (ORDER BY r.item, r.seed, r.sample, r.rid) AS place";
  const rows = await store.query({
    ...summaries({ sql: `SELECT r.rid, ${place} ${sql}`, params }),
    of: versionsOf(filter),
  });
  return rows.map(summaryOf);
}

/** Rollouts of each item by outcome, ordered by item; those with one of the labels in `failing` count as failures. */
export async function countByItem(
  store: Store,
  filter: RolloutFilter,
  failing: readonly string[],
): Promise<readonly { readonly item: string; readonly outcome: Outcome; readonly rollouts: number }[]> {
  const { sql, params } = await from(store, filter);
  const isFailing = "r.rid IN (SELECT l.rid FROM labels l WHERE l.label IN (SELECT unnest(?)))";
  const outcome =
    failing.length === 0
      ? "r.outcome::VARCHAR"
      : `CASE WHEN ${isFailing} THEN 'fail' ELSE r.outcome::VARCHAR END`;
  const rows = await store.query({
    sql: `SELECT item, outcome, count(*) AS rollouts
          FROM (SELECT r.item, ${outcome} AS outcome ${sql}) GROUP BY item, outcome ORDER BY item, outcome`,
    params: failing.length === 0 ? params : [[...failing], ...params],
    of: versionsOf(filter),
  });
  return rows.map((row) => ({
    item: stringOf(row, "item"),
    outcome: OutcomeSchema.parse(row["outcome"]),
    rollouts: numberOf(row, "rollouts"),
  }));
}
