import { HarnessError } from "../../base/errors.ts";
import type { Store } from "../store/database.ts";
import type { SqlFragment } from "../store/sql.ts";
import { tablesFor } from "../store/derived.ts";
import { heldBefore, holdRollouts, isCostly, isHeld, type Held } from "./heldRollouts.ts";
import { every, reads, scalarConditions, type RolloutFilter } from "./rolloutFilter.ts";
import { behind, orderBy, placeOf, sortValue, type Place, type Sort } from "./rolloutOrder.ts";
import { numberOf } from "../store/rows.ts";

export interface PageQuery {
  readonly filter: RolloutFilter;
  readonly sort: Sort;
  readonly after?: Place | undefined;
  readonly limit: number;
  readonly signal?: AbortSignal | undefined;
}

/** How many rollouts of an order a condition on text is tried on before it is tried on all. */
const textProbes = [64, 256];

/** Rollouts that are read at once in the order of arrival: first and then. */
const arrivalRanges = [16_384, 65_536];

/**
 * One page of rollouts in their order, at most `limit`. A condition that costs more than a sort is tried on all rollouts
 * once, and what it held for is remembered until the archive is written to. One on the text of turns is tried on the first
 * rollouts of the order before, which is enough when it holds often: turns lie in the order of rids, so that rollouts that
 * are next to each other in another order are strewn over all of them, and the text of 2048 turns is decompressed for each.
 * @throws HarnessError cancelled
 */
export async function pageOfRollouts(store: Store, query: PageQuery): Promise<Place[]> {
  const { filter } = query;
  const given = filter.where;
  if (given === undefined || !isCostly(given))
    return places(store, query, [scalarConditions(filter), ...(given === undefined ? [] : [given])]);
  const before = heldBefore(store, filter);
  if (before !== undefined) return among(store, query, before);
  if (!reads(given.sql, "text")) return among(store, query, await hold(store, query));
  // Inside coalesce the optimizer keeps the turns on the side that is built, which halves the time.
  const where = { sql: `coalesce((${given.sql}), FALSE)`, params: given.params };
  const found: Place[] = [];
  let after = query.after;
  for (const size of textProbes) {
    const candidates = await places(store, { ...query, after, limit: size }, [scalarConditions(filter)]);
    found.push(...(await holding(store, query, where, candidates)));
    if (candidates.length < size || found.length >= query.limit) return found.slice(0, query.limit);
    after = candidates.at(-1);
  }
  if (query.sort.by !== "arrival") return among(store, query, await hold(store, query));
  return [...found, ...(await scan(store, { ...query, after, limit: query.limit - found.length }, where))];
}

const hold = (store: Store, query: PageQuery): Promise<Held> =>
  holdRollouts(store, query.filter, () => {
    assertWanted(query.signal);
  });

/** The page of those that are held. */
async function among(store: Store, query: PageQuery, held: Held): Promise<Place[]> {
  const condition = isHeld(held);
  return condition === undefined ? [] : places(store, query, [condition]);
}

/** The first rollouts in the order for which cheap conditions hold. */
async function places(store: Store, query: PageQuery, conditions: readonly SqlFragment[]): Promise<Place[]> {
  assertWanted(query.signal);
  const { sort, after } = query;
  const condition = every([...conditions, ...(after === undefined ? [] : [behind(sort, after)])]);
  const tables = await tablesFor(store, `${condition.sql} ${sortValue(sort)}`);
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
  const tables = await tablesFor(store, where.sql);
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

/** Reads the turns range by range in the order of arrival, until there is a page. */
async function scan(store: Store, query: PageQuery, where: SqlFragment): Promise<Place[]> {
  const { limit } = query;
  const backwards = query.sort.descending;
  const [bounds] = await store.query({
    sql: "SELECT coalesce(min(rid), 0)::BIGINT AS low, coalesce(max(rid), -1)::BIGINT AS high FROM rollouts",
    params: [],
  });
  let low = numberOf(bounds ?? {}, "low");
  let high = numberOf(bounds ?? {}, "high");
  if (query.after !== undefined) {
    if (backwards) high = Math.min(high, query.after.rid - 1);
    else low = Math.max(low, query.after.rid + 1);
  }
  const found: Place[] = [];
  for (let step = 0; low <= high && found.length < limit; step++) {
    const size = arrivalRanges[Math.min(step, arrivalRanges.length - 1)] ?? 1;
    const [from, to] = backwards
      ? [Math.max(low, high - size + 1), high]
      : [low, Math.min(high, low + size - 1)];
    found.push(...(await scanRange(store, query, where, { from, to })));
    if (backwards) high = from - 1;
    else low = to + 1;
  }
  return found.slice(0, limit);
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
  const tables = await tablesFor(store, `${condition.sql} ${sortValue(sort)}`);
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
