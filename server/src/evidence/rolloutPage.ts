import { HarnessError } from "../base/errors.ts";
import type { SqlFragment, Store } from "./database.ts";
import { ensureFeatures } from "./features.ts";
import { every, reads, scalarConditions, tablesFor, type RolloutFilter } from "./rolloutFilter.ts";
import { behind, orderBy, placeOf, sortValue, type Place, type Sort } from "./rolloutOrder.ts";
import { numberOf } from "./rows.ts";

export interface PageQuery {
  readonly filter: RolloutFilter;
  readonly sort: Sort;
  readonly after?: Place | undefined;
  readonly limit: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * How a condition on turns is applied. On their text: first to so many rollouts that come first in the order, then, when
 * those do not fill the page, to all in ranges of rids. Turns lie in the order of rids, so that a range reads a part of
 * them; rollouts that are next to each other in another order are strewn over all of them, and the text of 2048 turns is
 * decompressed for each. On their other columns a condition is cheaper than picking the turns of some rollouts.
 */
const plans = {
  columns: { probes: [], ranges: [Number.MAX_SAFE_INTEGER] },
  text: { probes: [64, 256], ranges: [16_384, 65_536] },
} as const;

/**
 * The rollouts of one page in their order, at most `limit`. Never holds more than a page of them, and a condition on
 * turns is evaluated in parts, between which it can be cancelled.
 * @throws HarnessError cancelled
 */
export async function pageOfRollouts(store: Store, query: PageQuery): Promise<Place[]> {
  const given = query.filter.where;
  if (given === undefined || !reads(given.sql, "turns"))
    return places(store, query, given === undefined ? [] : [given]);
  const plan = reads(given.sql, "text") ? plans.text : plans.columns;
  // Inside coalesce the optimizer keeps the turns on the side that is built, which halves the time.
  const where = { sql: `coalesce((${given.sql}), FALSE)`, params: given.params };
  const found: Place[] = [];
  let after = query.after;
  for (const size of plan.probes) {
    const candidates = await places(store, { ...query, after, limit: size });
    found.push(...(await holding(store, query, where, candidates)));
    if (candidates.length < size || found.length >= query.limit) return found.slice(0, query.limit);
    after = candidates.at(-1);
  }
  return [...found, ...(await scan(store, { ...query, after, limit: query.limit - found.length }, where))];
}

/** The first rollouts in the order for which cheap conditions hold. */
async function places(store: Store, query: PageQuery, more: readonly SqlFragment[] = []): Promise<Place[]> {
  assertWanted(query.signal);
  const { sort, after } = query;
  const condition = every([
    scalarConditions(query.filter),
    ...more,
    ...(after === undefined ? [] : [behind(sort, after)]),
  ]);
  const tables = tablesFor(`${condition.sql} ${sortValue(sort)}`);
  if (tables.includes("features")) await ensureFeatures(store);
  const rows = await store.query({
    sql: `SELECT r.rid, ${sortValue(sort)} AS order_value FROM ${tables} WHERE ${condition.sql}
          ORDER BY ${orderBy(sort)} LIMIT ${query.limit}`,
    params: condition.params,
  });
  return rows.map(placeOf);
}

/** Those of the candidates for which a condition on turns holds, in their order. */
async function holding(
  store: Store,
  query: PageQuery,
  where: SqlFragment,
  candidates: readonly Place[],
): Promise<Place[]> {
  if (candidates.length === 0) return [];
  assertWanted(query.signal);
  const rids = candidates.map(({ rid }) => rid).join(", ");
  const tables = tablesFor(where.sql);
  if (tables.includes("features")) await ensureFeatures(store);
  // The condition names the table `turns`; here that is the turns of the candidates. A list of constants is looked at
  // while the column is read, and what is materialized is not read again under the condition.
  const rows = await store.query({
    sql: `WITH turns AS MATERIALIZED (SELECT * FROM archive.main.turns WHERE rid IN (${rids}))
          SELECT r.rid FROM ${tables} WHERE r.rid IN (${rids}) AND ${where.sql}`,
    params: where.params,
  });
  const holds = new Set(rows.map((row) => numberOf(row, "rid")));
  return candidates.filter(({ rid }) => holds.has(rid));
}

/** Reads all turns range by range; each range gives at most a page, and in the order of arrival a full page ends it. */
async function scan(store: Store, query: PageQuery, where: SqlFragment): Promise<Place[]> {
  const { sort, limit } = query;
  const { ranges } = reads(where.sql, "text") ? plans.text : plans.columns;
  const byArrival = sort.by === "arrival";
  const backwards = byArrival && sort.descending;
  const [bounds] = await store.query({
    sql: "SELECT coalesce(min(rid), 0)::BIGINT AS low, coalesce(max(rid), -1)::BIGINT AS high FROM rollouts",
    params: [],
  });
  let low = numberOf(bounds ?? {}, "low");
  let high = numberOf(bounds ?? {}, "high");
  if (byArrival && query.after !== undefined) {
    if (backwards) high = Math.min(high, query.after.rid - 1);
    else low = Math.max(low, query.after.rid + 1);
  }
  const found: Place[] = [];
  for (let step = 0; low <= high; step++) {
    const size = ranges[Math.min(step, ranges.length - 1)] ?? 1;
    const [from, to] = backwards
      ? [Math.max(low, high - size + 1), high]
      : [low, Math.min(high, low + size - 1)];
    found.push(...(await scanRange(store, query, where, { from, to })));
    if (byArrival && found.length >= limit) return found.slice(0, limit);
    if (backwards) high = from - 1;
    else low = to + 1;
  }
  if (byArrival || found.length === 0) return found;
  const rids = found.map(({ rid }) => rid).join(", ");
  return places(store, query, [{ sql: `r.rid IN (SELECT unnest([${rids}]::BIGINT[]))`, params: [] }]);
}

async function scanRange(
  store: Store,
  query: PageQuery,
  where: SqlFragment,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<Place[]> {
  assertWanted(query.signal);
  const { sort, after } = query;
  const condition = every([
    { sql: `r.rid BETWEEN ${from} AND ${to}`, params: [] },
    scalarConditions(query.filter),
    where,
    ...(after === undefined ? [] : [behind(sort, after)]),
  ]);
  const tables = tablesFor(`${condition.sql} ${sortValue(sort)}`);
  if (tables.includes("features")) await ensureFeatures(store);
  const rows = await store.query({
    sql: `WITH turns AS (SELECT * FROM archive.main.turns WHERE rid BETWEEN ${from} AND ${to})
          SELECT r.rid, ${sortValue(sort)} AS order_value FROM ${tables} WHERE ${condition.sql}
          ORDER BY ${orderBy(sort)} LIMIT ${query.limit}`,
    params: condition.params,
  });
  return rows.map(placeOf);
}

function assertWanted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw new HarnessError("cancelled", "The query was cancelled.");
}
