import type { Store } from "../store/database.ts";
import { tablesFor } from "../store/derived.ts";
import { numberOf } from "../store/rows.ts";
import { openSplits } from "../store/split.ts";

/** On how many of the newest rollouts conditions hold. */
export interface NewestCount {
  readonly rollouts: number;
  readonly labelled: number;
}

/** How many of the newest rollouts, those of the audit split among them, are looked at: enough to tell never from seldom. */
const newest = 20_480;
/** Conditions in one query. */
const atOnce = 50;

/** Counts on which of the newest rollouts each condition holds, SQL over `r` and the derived tables. No audit split. */
export async function countNewest(store: Store, conditions: readonly string[]): Promise<NewestCount[]> {
  const counts: NewestCount[] = [];
  for (let i = 0; i < conditions.length; i += atOnce)
    counts.push(...(await countBatch(store, conditions.slice(i, i + atOnce))));
  return counts;
}

async function countBatch(store: Store, conditions: readonly string[]): Promise<NewestCount[]> {
  const tables = await tablesFor(store, conditions.join(" "));
  const [bounds = {}] = await store.query({
    sql: "SELECT coalesce(max(rid), -1)::BIGINT AS last FROM rollouts",
    params: [],
  });
  const from = Math.max(0, numberOf(bounds, "last") - newest + 1);
  const [row = {}] = await store.query({
    sql: `WITH turns AS (SELECT * FROM archive.main.turns WHERE rid >= ${from})
          SELECT count(*) AS rollouts, ${conditions.map((_, i) => `count(*) FILTER (v${i}) AS n${i}`).join(", ")}
          FROM (SELECT ${conditions.map((sql, i) => `(${sql}) AS v${i}`).join(", ")} FROM ${tables}
                WHERE r.rid >= ${from} AND ${openSplits})`,
    params: [],
  });
  const rollouts = numberOf(row, "rollouts");
  return conditions.map((_, i) => ({ rollouts, labelled: numberOf(row, `n${i}`) }));
}
