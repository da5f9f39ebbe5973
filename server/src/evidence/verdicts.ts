import type { SqlFragment, Store } from "./database.ts";
import { tablesFor } from "./derived.ts";
import { scopeCondition, type EvidenceScope } from "./split.ts";
import { withParts } from "./turnParts.ts";

/** Conditions that are tried on the rollouts of a scope together. */
export interface Conditions {
  readonly scope: EvidenceScope;
  /** SQL over `r`, the derived tables and the shared columns of `q`, of the predicate compiler; NULL without a value. */
  readonly conditions: readonly string[];
  /** Aggregates over `turns x` that the conditions read as columns of `q`. */
  readonly turnColumns: readonly string[];
}

/**
 * A query of one row per rollout of the scope, with `columns` of `rollouts r` and `v0`, `v1` … for the conditions, which
 * reads the turns once for all of them. The derived tables that it reads are filled now.
 */
export async function verdictsOf(
  store: Store,
  { scope, conditions, turnColumns }: Conditions,
  columns: readonly string[],
): Promise<SqlFragment> {
  const tables = await tablesFor(store, conditions.join(" "));
  const where = scopeCondition(scope);
  const verdicts = conditions.map((sql, i) => `(${sql}) AS v${i}`);
  const select = `SELECT ${[...columns, ...verdicts].join(", ")} FROM ${tables}`;
  if (turnColumns.length === 0) return { sql: `${select} WHERE ${where.sql}`, params: where.params };
  const scoped = `(SELECT * FROM turns x WHERE x.rid IN (SELECT r.rid FROM rollouts r WHERE ${where.sql}))`;
  const { expressions, from } = withParts("x", turnColumns, scoped);
  return {
    sql: `WITH q AS (SELECT x.rid, ${expressions.join(", ")} FROM ${from} GROUP BY x.rid)
          ${select} LEFT JOIN q ON q.rid = r.rid WHERE ${where.sql}`,
    params: [...where.params, ...where.params],
  };
}
