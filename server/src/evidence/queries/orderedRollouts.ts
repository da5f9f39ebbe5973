import { HarnessError } from "../../base/errors.ts";
import { whileWanted } from "../../base/wanted.ts";
import type { Store } from "../store/database.ts";
import type { SqlFragment } from "../store/sql.ts";
import { tablesFor } from "../store/derived.ts";
import { filterKey, heldBefore, holdRollouts, isCostly, isHeld } from "./heldRollouts.ts";
import { scalarConditions, conditionsOf, type RolloutFilter } from "./rolloutFilter.ts";
import { orderBy, sortValue, type Sort } from "./rolloutOrder.ts";

/** All rollouts of a filter in an order, as the archive had them when they were sorted. */
export interface Ordered {
  /** Names this list, so that who pages through it stays in it while rollouts arrive. */
  readonly name: string;
  readonly rids: Float64Array;
}

/** The most rollouts in all lists that are kept of an archive, eight bytes each; the one asked for last is kept whatever its size. */
const mostKept = 1 << 22;
/** How long a list that nobody waits for any more is still sorted: the next page of the same list comes soon. */
const abandonedMs = 1000;

interface Building {
  readonly work: Promise<Ordered>;
  readonly stop: AbortController;
  waiting: number;
}
interface Kept {
  readonly lists: Map<string, Ordered & { readonly key: string; readonly commits: number }>;
  readonly building: Map<string, Building>;
  made: number;
}
const kept = new WeakMap<Store, Kept>();

/**
 * The list of a filter and order: the one of that name if it is still kept, else the one of the archive as it is now. The same
 * list is made once for all who ask for it. Forget it with `dropOrdered` when its rollouts are gone.
 * @throws HarnessError cancelled
 */
export async function orderedRollouts(
  store: Store,
  filter: RolloutFilter,
  {
    sort,
    name,
    signal,
  }: { readonly sort: Sort; readonly name?: string | undefined; readonly signal: AbortSignal },
): Promise<Ordered> {
  const own = keptOf(store);
  const key = JSON.stringify([filterKey(filter), sort.by, sort.descending]);
  const commits = store.commits();
  for (const list of own.lists.values())
    if (list.key === key && (name === undefined ? list.commits === commits : list.name === name)) {
      own.lists.delete(list.name);
      own.lists.set(list.name, list);
      return list;
    }
  const buildKey = `${commits} ${key}`;
  const found = own.building.get(buildKey);
  const building = found ?? build(store, own, filter, sort, { key, commits, buildKey });
  building.waiting++;
  try {
    return await unlessAborted(building.work, signal);
  } finally {
    building.waiting--;
    if (building.waiting === 0)
      setTimeout(() => {
        if (building.waiting === 0) building.stop.abort();
      }, abandonedMs).unref();
  }
}

/** Forgets a list whose rollouts are no longer in the archive. */
export function dropOrdered(store: Store, name: string): void {
  kept.get(store)?.lists.delete(name);
}

function keptOf(store: Store): Kept {
  const found = kept.get(store) ?? { lists: new Map(), building: new Map(), made: 0 };
  kept.set(store, found);
  return found;
}

function build(
  store: Store,
  own: Kept,
  filter: RolloutFilter,
  sort: Sort,
  { key, commits, buildKey }: { readonly key: string; readonly commits: number; readonly buildKey: string },
): Building {
  const stop = new AbortController();
  // Several may wait for it, so that it ends with none of them but with the last.
  const work = whileWanted(stop.signal, () => sorted(store, filter, sort, stop.signal)).then((rids) => {
    own.made++;
    const list = { name: `${process.pid}.${own.made}`, rids, key, commits };
    own.lists.set(list.name, list);
    shed(own);
    return list;
  });
  const building = { work, stop, waiting: 0 };
  own.building.set(buildKey, building);
  const done = (): void => void own.building.delete(buildKey);
  work.then(done, done);
  return building;
}

/** Drops those that were asked for longest ago. */
function shed({ lists }: Kept): void {
  let size = 0;
  for (const { rids } of lists.values()) size += rids.length;
  for (const [oldest, { rids }] of lists) {
    if (size <= mostKept || lists.size === 1) return;
    lists.delete(oldest);
    size -= rids.length;
  }
}

/** Sorts in the engine, and takes over whole vectors: a million numbers in a tenth of a second. */
async function sorted(
  store: Store,
  filter: RolloutFilter,
  sort: Sort,
  signal: AbortSignal,
): Promise<Float64Array> {
  const condition = await cheapCondition(store, filter, signal);
  if (condition === undefined) return new Float64Array(0);
  const tables = await tablesFor(store, `${condition.sql} ${sortValue(sort)}`);
  let rids = new Float64Array(1 << 16);
  let length = 0;
  for await (const chunk of store.chunks({
    sql: `SELECT r.rid::DOUBLE FROM ${tables} WHERE ${condition.sql} ORDER BY ${orderBy(sort)}`,
    params: condition.params,
  })) {
    assertWanted(signal);
    for (const rid of chunk.getColumnValues(0)) {
      if (length === rids.length) {
        const larger = new Float64Array(2 * length);
        larger.set(rids);
        rids = larger;
      }
      rids[length++] = Number(rid);
    }
  }
  return rids.slice(0, length);
}

/** What is costly to try is tried once for all orders, part by part, so that it can be given up. */
async function cheapCondition(
  store: Store,
  filter: RolloutFilter,
  signal: AbortSignal,
): Promise<SqlFragment | undefined> {
  const { where } = filter;
  if (where === undefined) return scalarConditions(filter);
  if (!isCostly(where)) return conditionsOf(filter);
  return isHeld(heldBefore(store, filter) ?? (await holdRollouts(store, filter, () => assertWanted(signal))));
}

function assertWanted(signal: AbortSignal): void {
  if (signal.aborted) throw new HarnessError("cancelled", "The list is no longer wanted.");
}

function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(new HarnessError("cancelled", "The list is no longer wanted."));
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
