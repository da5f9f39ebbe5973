import { HarnessError } from "../base/errors.ts";
import type { SqlFragment, Store } from "./database.ts";
import { tablesFor } from "./derived.ts";
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

/** What is tried at once: few at first for an answer while somebody types, then what keeps all threads busy. */
const chunks = [20_480, 245_760, 983_040] as const;

/**
 * Counts the rollouts for which a condition holds, the newest first, and says after every chunk how far it is. Between
 * chunks it can be cancelled.
 * @throws HarnessError cancelled
 */
export async function* countNewestFirst(
  store: Store,
  query: { readonly scope: EvidenceScope; readonly where: SqlFragment; readonly signal?: AbortSignal },
): AsyncGenerator<LiveCount> {
  const { where, signal } = query;
  const scope = scopeCondition(query.scope);
  const tables = await tablesFor(store, where.sql);
  const [bounds = {}] = await store.query({
    sql: "SELECT coalesce(min(rid), 0)::BIGINT AS low, coalesce(max(rid), -1)::BIGINT AS high FROM rollouts",
    params: [],
  });
  const low = numberOf(bounds, "low");
  let high = numberOf(bounds, "high");
  let [rollouts, labelled, undecided] = [0, 0, 0];
  for (let i = 0; high >= low; i++) {
    if (signal?.aborted === true) throw new HarnessError("cancelled", "The count was cancelled.");
    // What reads no turns is done before the first part of it would be shown.
    const size = reads(where.sql, "turns") ? (chunks[i] ?? chunks[2]) : high - low + 1;
    const from = Math.max(low, high - size + 1);
    const [row = {}] = await store.query({
      sql: `WITH turns AS (SELECT * FROM archive.main.turns WHERE rid BETWEEN ${from} AND ${high})
            SELECT count(*) AS rollouts, count(*) FILTER (verdict) AS labelled,
                   count(*) FILTER (verdict IS NULL) AS undecided
            FROM (SELECT (${where.sql}) AS verdict FROM ${tables}
                  WHERE r.rid BETWEEN ${from} AND ${high} AND ${scope.sql})`,
      params: [...where.params, ...scope.params],
    });
    rollouts += numberOf(row, "rollouts");
    labelled += numberOf(row, "labelled");
    undecided += numberOf(row, "undecided");
    high = from - 1;
    yield { rollouts, labelled, undecided, done: high < low };
  }
}
