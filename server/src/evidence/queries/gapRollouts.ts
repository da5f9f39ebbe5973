import type { Store } from "../archive/store.ts";
import { verdictsOf, type Conditions } from "../labels/verdicts.ts";
import { numberOf, stringOf, stringOrNull } from "../store/rows.ts";
import { scopeCondition, type EvidenceScope } from "../store/split.ts";

/** What is known of a rollout without its turns. */
export interface RolloutFacts {
  readonly rid: number;
  readonly run: string;
  readonly id: string;
  readonly item: string;
  readonly group: string;
  readonly step: number;
  readonly outcome: string;
}

/** The rollouts of a scope in the order of arrival. */
export async function rolloutFacts(store: Store, scope: EvidenceScope): Promise<RolloutFacts[]> {
  const where = scopeCondition(scope);
  const rows = await store.query({
    sql: `SELECT rid, run, id, item, "group", step, outcome::VARCHAR AS outcome FROM rollouts r WHERE ${where.sql} ORDER BY rid`,
    params: where.params,
  });
  return rows.map((row) => ({
    rid: numberOf(row, "rid"),
    run: stringOf(row, "run"),
    id: stringOf(row, "id"),
    item: stringOf(row, "item"),
    group: stringOf(row, "group"),
    step: numberOf(row, "step"),
    outcome: stringOf(row, "outcome"),
  }));
}

/**
 * For which rollouts of a scope each condition holds: a text per condition with a character per rollout, in the order of
 * `rolloutFacts`: "1" where it holds, "0" where it does not, "?" where it has no value.
 */
export async function heldConditions(store: Store, conditions: Conditions): Promise<string[]> {
  const { sql, params } = await verdictsOf(store, conditions);
  const columns = conditions.conditions.map(
    (_, i) =>
      `string_agg(CASE WHEN v${i} THEN '1' WHEN v${i} IS NULL THEN '?' ELSE '0' END, '' ORDER BY rid) AS h${i}`,
  );
  if (columns.length === 0) return [];
  const [row = {}] = await store.query({ sql: `SELECT ${columns.join(", ")} FROM (${sql})`, params });
  return conditions.conditions.map((_, i) => stringOrNull(row, `h${i}`) ?? "");
}
