import { fillActions } from "../contract/fillActions.ts";
import { arrivals } from "./arrivals.ts";
import type { Store } from "./database.ts";
import { fillFeatures } from "../contract/features.ts";
import { numberOf, stringOf } from "./rows.ts";

/** Tables with a row per rollout that are computed from its turns when something reads them first. */
const tables = {
  features: { alias: "f", fill: fillFeatures },
  actions: { alias: "a", fill: fillActions },
} as const;
export type DerivedTable = keyof typeof tables;
const names = ["features", "actions"] as const satisfies readonly DerivedTable[];

const batchRows = 200_000;

/** Up to which arrival the tables of a store are complete. */
const filledAt = new WeakMap<Store, Map<DerivedTable, number>>();

/** Fills a table for the rollouts that came in since the last call. */
export function ensureDerived(store: Store, table: DerivedTable): Promise<void> {
  return store.exclusive(table, async () => {
    const now = arrivals(store);
    const filled = filledAt.get(store) ?? new Map<DerivedTable, number>();
    filledAt.set(store, filled);
    if (filled.get(table) === now) return;
    await fill(store, table);
    filled.set(table, now);
  });
}

export const ensureFeatures = (store: Store): Promise<void> => ensureDerived(store, "features");

/** Whether SQL reads a derived table by its alias; what stands in its string literals does not count. */
function readsDerived(sql: string, table: DerivedTable): boolean {
  return new RegExp(`\\b${tables[table].alias}\\.`).test(sql.replaceAll(/'(?:[^']|'')*'/g, "''"));
}

/** The derived tables that SQL reads. */
export function derivedIn(sql: string): readonly DerivedTable[] {
  return names.filter((table) => readsDerived(sql, table));
}

/** `rollouts r`, joined with the derived tables that the SQL reads, which are filled now. */
export async function tablesFor(store: Store, sql: string): Promise<string> {
  const joined: string[] = ["rollouts r"];
  for (const table of derivedIn(sql)) {
    await ensureDerived(store, table);
    joined.push(joinDerived(table, "r.rid"));
  }
  return joined.join(" ");
}

function joinDerived(table: DerivedTable, rid: string): string {
  const { alias } = tables[table];
  return `JOIN ${table} ${alias} ON ${alias}.rid = ${rid}`;
}

async function fill(store: Store, table: DerivedTable): Promise<void> {
  // Every rollout has one row there, and counting rows costs nothing.
  const [counts] = await store.query({
    sql: `SELECT (SELECT count(*) FROM ${table}) = (SELECT count(*) FROM rollouts) AS complete`,
    params: [],
  });
  if (counts?.["complete"] === true) return;
  const [bounds = {}] = await store.query({
    sql: `SELECT (SELECT coalesce(max(rid), -1) FROM ${table})::BIGINT AS done,
                 (SELECT coalesce(max(rid), -1) FROM rollouts)::BIGINT AS last`,
    params: [],
  });
  const last = numberOf(bounds, "last");
  for (let done = numberOf(bounds, "done"); done < last; done += batchRows) {
    const range = [BigInt(done + 1), BigInt(Math.min(done + batchRows, last))];
    const versions = await store.query({
      sql: "SELECT DISTINCT version FROM rollouts WHERE rid BETWEEN ? AND ?",
      params: range,
    });
    await store.write(
      (connection) => connection.run(tables[table].fill, [...range, ...range]),
      versions.map((row) => stringOf(row, "version")),
    );
  }
}
