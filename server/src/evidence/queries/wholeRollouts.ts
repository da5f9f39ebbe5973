import type { Rollout, Turn } from "../../../../shared/model/rollout.ts";
import type { Store } from "../store/database.ts";
import type { Row, SqlFragment } from "../store/sql.ts";
import { rolloutOf, turnOf } from "./readRollout.ts";
import { numberOf } from "../store/rows.ts";
import { scopeCondition, type EvidenceScope } from "../store/split.ts";

/** Rollouts that are in memory at once. */
const pageRows = 128;

/**
 * The rollouts of a scope with all their turns, in the order of arrival, a page at a time: for programs and models that
 * read them whole. With `rids` only those.
 */
export async function* wholeRollouts(
  store: Store,
  options: { readonly scope: EvidenceScope; readonly rids?: readonly number[] },
): AsyncGenerator<{ readonly rid: number; readonly rollout: Rollout }> {
  const scope = scopeCondition(options.scope);
  const { rids: wanted } = options;
  if (wanted?.length === 0) return;
  const last = wanted === undefined ? 0 : Math.max(...wanted);
  const chosen =
    wanted === undefined
      ? ""
      : `AND r.rid <= ${last} AND r.rid IN (SELECT unnest([${wanted.join(", ")}]::BIGINT[]))`;
  for (let after = wanted === undefined ? -1 : Math.min(...wanted) - 1; ;) {
    const rows = await store.query({
      sql: `SELECT r.* EXCLUDE (components, extra), to_json(r.components)::VARCHAR AS components, r.extra::VARCHAR AS extra
            FROM rollouts r WHERE ${scope.sql} AND r.rid > ${after} ${chosen} ORDER BY r.rid LIMIT ${pageRows}`,
      params: scope.params,
    });
    const rids = rows.map((row) => numberOf(row, "rid"));
    const turns = await turnsOf(store, rids);
    for (const [i, row] of rows.entries()) {
      const rid = rids[i] ?? -1;
      yield { rid, rollout: rolloutOf(row, turns.get(rid) ?? []) };
    }
    if (rows.length < pageRows) return;
    after = rids.at(-1) ?? after;
  }
}

async function turnsOf(store: Store, rids: readonly number[]): Promise<Map<number, Turn[]>> {
  const [low, high] = [rids[0], rids.at(-1)];
  const turns = new Map<number, Turn[]>();
  if (low === undefined || high === undefined) return turns;
  const query: SqlFragment = {
    sql: `SELECT rid, idx, role, text, tool, args::VARCHAR AS args, ok, tokens, ms FROM turns
          WHERE rid BETWEEN ${low} AND ${high} AND rid IN (SELECT unnest([${rids.join(", ")}]::BIGINT[])) ORDER BY rid, idx`,
    params: [],
  };
  for (const row of await store.query(query)) add(turns, row);
  return turns;
}

function add(turns: Map<number, Turn[]>, row: Row): void {
  const rid = numberOf(row, "rid");
  const found = turns.get(rid) ?? [];
  found.push(turnOf(row));
  turns.set(rid, found);
}
