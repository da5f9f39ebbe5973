import type { Store } from "../store/database.ts";
import type { SqlFragment } from "../store/sql.ts";
import { derivedIn, tablesFor } from "../store/derived.ts";
import { every, reads, scalarConditions, type RolloutFilter } from "./rolloutFilter.ts";
import { numberOf, stringOrNull } from "../store/rows.ts";

/** For which rollouts a filter holds: a character per rid from `first` on, "1" where it does. */
export interface Held {
  readonly first: number;
  readonly bits: string;
}

/** Rollouts of one reading of the text of turns, after which a query can be cancelled. */
const textRange = 65_536;

/** The most characters that are remembered of an archive. */
const mostKept = 1 << 25;

interface Kept {
  commits: number;
  /** By filter, the one asked for last at the end. */
  readonly filters: Map<string, Held>;
}

const kept = new WeakMap<Store, Kept>();

/** Whether trying a condition on every rollout costs more than finding the first of a sort. */
export function isCostly({ sql }: SqlFragment): boolean {
  return reads(sql, "turns") || derivedIn(sql).length > 0 || reads(sql, "components");
}

/** What `holdRollouts` found for the same filter, if nothing was written since. */
export function heldBefore(store: Store, filter: RolloutFilter): Held | undefined {
  const { filters } = keptOf(store);
  const key = filterKey(filter);
  const held = filters.get(key);
  if (held !== undefined) {
    filters.delete(key);
    filters.set(key, held);
  }
  return held;
}

/**
 * Tries a filter on all rollouts, so that pages in other orders and later pages need not. `onRange` is called before each
 * reading and may throw to cancel.
 */
export async function holdRollouts(store: Store, filter: RolloutFilter, onRange: () => void): Promise<Held> {
  const condition = every([scalarConditions(filter), ...(filter.where === undefined ? [] : [filter.where])]);
  const tables = await tablesFor(store, condition.sql);
  const { commits, filters } = keptOf(store);
  const [bounds = {}] = await store.query({
    sql: "SELECT coalesce(min(rid), 0)::BIGINT AS low, coalesce(max(rid), -1)::BIGINT AS high FROM rollouts",
    params: [],
  });
  const first = numberOf(bounds, "low");
  const end = numberOf(bounds, "high") + 1;
  const size = reads(condition.sql, "text") ? textRange : Math.max(1, end - first);
  const parts: string[] = [];
  for (let from = first; from < end; from += size) {
    onRange();
    const to = Math.min(end, from + size);
    const [row = {}] = await store.query({
      sql: `WITH turns AS (SELECT * FROM archive.main.turns WHERE rid BETWEEN ${from} AND ${to - 1})
            SELECT bitstring_agg(r.rid, ${from}, ${to - 1})::VARCHAR AS bits FROM ${tables}
            WHERE r.rid BETWEEN ${from} AND ${to - 1} AND ${condition.sql}`,
      params: condition.params,
    });
    parts.push(stringOrNull(row, "bits") ?? "0".repeat(to - from));
  }
  const held = { first, bits: parts.join("") };
  if (commits === store.commits()) keep(filters, filterKey(filter), held);
  return held;
}

/** The condition that a rollout is among those held; undefined when there is none. */
export function isHeld({ first, bits }: Held): SqlFragment | undefined {
  if (!bits.includes("1")) return undefined;
  const last = first + bits.length - 1;
  // Conditions are tried in any order, so that the place has to be one of the bits whatever the first one says.
  return {
    sql: `r.rid BETWEEN ${first} AND ${last} AND get_bit(?::BIT, (least(r.rid, ${last}) - ${first})::INTEGER) = 1`,
    params: [bits],
  };
}

function keptOf(store: Store): Kept {
  const commits = store.commits();
  const found = kept.get(store) ?? { commits, filters: new Map<string, Held>() };
  kept.set(store, found);
  if (found.commits !== commits) found.filters.clear();
  found.commits = commits;
  return found;
}

function keep(filters: Map<string, Held>, key: string, held: Held): void {
  filters.set(key, held);
  let size = 0;
  for (const { bits } of filters.values()) size += bits.length;
  for (const [oldest, { bits }] of filters) {
    if (size <= mostKept) return;
    filters.delete(oldest);
    size -= bits.length;
  }
}

/** One text for one filter, whatever it was made from. */
export function filterKey(filter: RolloutFilter): string {
  const condition = every([scalarConditions(filter), ...(filter.where === undefined ? [] : [filter.where])]);
  return JSON.stringify([condition.sql, condition.params], (_, value: unknown) =>
    typeof value === "bigint" ? `${value}n` : value,
  );
}
