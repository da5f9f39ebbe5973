import type { Store } from "../store/database.ts";
import type { SqlFragment } from "../store/sql.ts";
import { derivedIn, tablesFor } from "../store/derived.ts";
import { reads } from "./rolloutFilter.ts";
import { numberOf } from "../store/rows.ts";
import { scopeCondition, type EvidenceScope } from "../store/split.ts";

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
/** An archive of so many is then read in one query, the newest once more: a range would cost more than they do. */
const atOnce = 2_000_000;
/** What is read at once of a larger one, which is often enough to say how far it is. */
const rest = 983_040;

/** Rollouts by their numbers; the whole takes the place of what was counted before. */
type Part = { readonly from: number; readonly to: number } | "whole";

/** @param isNarrow whether the condition reads only the rollouts themselves, and is done before a first part would be shown */
function* partsOf({ low, high }: Bounds, isNarrow: boolean): Generator<Part> {
  const rows = high - low + 1;
  if (rows > newest && !isNarrow) yield { from: high - newest + 1, to: high };
  if (rows <= atOnce) yield "whole";
  else
    for (let to = isNarrow ? high : high - newest; to >= low; to -= rest)
      yield { from: Math.max(low, to - rest + 1), to };
}

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
  const readsTurns = reads(where.sql, "turns");
  const bounds = await boundsOf(store);
  if (bounds.high < bounds.low) return;
  const isNarrow = !readsTurns && derivedIn(where.sql).length === 0;
  let sum = { rollouts: 0, labelled: 0, undecided: 0 };
  for (const part of partsOf(bounds, isNarrow)) {
    const range = part === "whole" ? undefined : `BETWEEN ${part.from} AND ${part.to}`;
    const ofTurns = `WITH turns AS (SELECT * FROM archive.main.turns WHERE rid ${range ?? ""})`;
    const [row = {}] = await store.query(
      {
        sql: `${range !== undefined && readsTurns ? ofTurns : ""}
              SELECT count(*) AS rollouts, count(*) FILTER (verdict) AS labelled,
                     count(*) FILTER (verdict IS NULL) AS undecided
              FROM (SELECT (${where.sql}) AS verdict FROM ${tables}
                    WHERE ${range === undefined ? "" : `r.rid ${range} AND`} ${scope.sql})`,
        params: [...where.params, ...scope.params],
      },
      signal,
    );
    const before = part === "whole" ? { rollouts: 0, labelled: 0, undecided: 0 } : sum;
    sum = {
      rollouts: before.rollouts + numberOf(row, "rollouts"),
      labelled: before.labelled + numberOf(row, "labelled"),
      undecided: before.undecided + numberOf(row, "undecided"),
    };
    yield { ...sum, done: part === "whole" || part.from === bounds.low };
  }
}

interface Bounds {
  readonly commits: number;
  readonly low: number;
  readonly high: number;
}
const known = new WeakMap<Store, Bounds>();

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
