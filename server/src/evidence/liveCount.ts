import { HarnessError } from "../base/errors.ts";
import type { SqlFragment, Store } from "./database.ts";
import { derivedIn, tablesFor } from "./derived.ts";
import { reads } from "./rolloutFilter.ts";
import { numberOf } from "./rows.ts";
import { scopeCondition, type EvidenceScope } from "./split.ts";

/** How a condition does on the newest rollouts so far. */
export interface LiveCount {
  /** Rollouts of the scope that were tried. */
  readonly rollouts: number;
  readonly labelled: number;
  /** Rollouts for which it has no value. */
  readonly undecided: number;
  /** Whether that is all of them. */
  readonly done: boolean;
}

/** Few at first, for an answer while somebody types. */
const newest = 20_480;
/** Then as much as says often enough how far it is: every query more reads what it shares with the last one again. */
const rest = 983_040;
/** Conditions that read nothing but the rollouts are done with so many before a first part would be shown. */
const atOnce = 2_000_000;

interface Bounds {
  readonly commits: number;
  readonly low: number;
  readonly high: number;
}
const known = new WeakMap<Store, Bounds>();

/**
 * Counts the rollouts for which a condition holds, the newest first, and says after every part how far it is. It can be
 * cancelled at any time.
 * @throws HarnessError cancelled
 */
export async function* countNewestFirst(
  store: Store,
  query: { readonly scope: EvidenceScope; readonly where: SqlFragment; readonly signal?: AbortSignal },
): AsyncGenerator<LiveCount> {
  const { where, signal } = query;
  const scope = scopeCondition(query.scope);
  const tables = await tablesFor(store, where.sql);
  const { low, high: last } = await boundsOf(store);
  const readsTurns = reads(where.sql, "turns");
  const isNarrow = !readsTurns && derivedIn(where.sql).length === 0;
  let [rollouts, labelled, undecided] = [0, 0, 0];
  for (let high = last; high >= low;) {
    if (signal?.aborted === true) throw new HarnessError("cancelled", "The count was cancelled.");
    const size = isNarrow ? atOnce : high === last ? newest : rest;
    const from = Math.max(low, high - size + 1);
    const range = `BETWEEN ${from} AND ${high}`;
    // A part that is the whole is not told apart from it: a range is one more condition on every row.
    const isPart = from > low || high < last;
    const [row = {}] = await store.query(
      {
        sql: `${isPart && readsTurns ? `WITH turns AS (SELECT * FROM archive.main.turns WHERE rid ${range})` : ""}
              SELECT count(*) AS rollouts, count(*) FILTER (verdict) AS labelled,
                     count(*) FILTER (verdict IS NULL) AS undecided
              FROM (SELECT (${where.sql}) AS verdict FROM ${tables}
                    WHERE ${isPart ? `r.rid ${range} AND` : ""} ${scope.sql})`,
        params: [...where.params, ...scope.params],
      },
      signal,
    );
    rollouts += numberOf(row, "rollouts");
    labelled += numberOf(row, "labelled");
    undecided += numberOf(row, "undecided");
    high = from - 1;
    yield { rollouts, labelled, undecided, done: high < low };
  }
}

/** The first and the last rollout; they stay while nothing is written. */
async function boundsOf(store: Store): Promise<Bounds> {
  const commits = store.commits();
  const found = known.get(store);
  if (found?.commits === commits) return found;
  const [row = {}] = await store.query({
    sql: "SELECT coalesce(min(rid), 0)::BIGINT AS low, coalesce(max(rid), -1)::BIGINT AS high FROM rollouts",
    params: [],
  });
  const bounds = { commits, low: numberOf(row, "low"), high: numberOf(row, "high") };
  known.set(store, bounds);
  return bounds;
}
