import type { Outcome } from "../../../../shared/model/rollout.ts";
import { choiceConstant } from "../contract/choices.ts";
import type { SqlFragment } from "../store/sql.ts";
import { sqlConstant } from "../store/sqlConstant.ts";
import { scopeCondition, type EvidenceScope } from "../store/split.ts";

/** Which rollouts; the archive has no query without a split. */
export type RolloutFilter = EvidenceScope & {
  readonly run?: string;
  /** A training step, or the last one that the run has in this split. */
  readonly step?: number | "last";
  readonly outcome?: Outcome;
  readonly item?: string;
  readonly group?: string;
  readonly label?: string;
  /** A condition on `r` (rollouts), `f` (features) and the table `turns`, from the predicate compiler. */
  readonly where?: SqlFragment;
};

/** The conditions of a filter but for `where`: they read narrow columns only. */
export function scalarConditions(filter: RolloutFilter): SqlFragment {
  const conditions: SqlFragment[] = [scopeCondition(filter)];
  const { step, label, outcome } = filter;
  if (outcome !== undefined)
    conditions.push({ sql: `r.outcome = ${choiceConstant("outcome", outcome)}`, params: [] });
  for (const [column, value] of [
    ["run", filter.run],
    ["item", filter.item],
    ["group", filter.group],
  ] as const)
    if (value !== undefined) {
      const { sql, params } = sqlConstant(value);
      conditions.push({ sql: `r."${column}" = ${sql}`, params });
    }
  if (typeof step === "number") conditions.push({ sql: "r.step = ?", params: [BigInt(step)] });
  if (step === "last") {
    const scope = scopeCondition(filter);
    conditions.push({
      sql: `(r.run, r.step) IN (SELECT (r.run, max(r.step)) FROM rollouts r WHERE ${scope.sql} GROUP BY r.run)`,
      params: scope.params,
    });
  }
  if (label !== undefined)
    conditions.push({ sql: "r.rid IN (SELECT rid FROM labels WHERE label = ?)", params: [label] });
  return every(conditions);
}

/** All conditions of a filter. */
export function conditionsOf(filter: RolloutFilter): SqlFragment {
  const scalar = scalarConditions(filter);
  return filter.where === undefined ? scalar : every([scalar, filter.where]);
}

/** Whether a rollout carries one of the labels because of which it does not count; false where there are none. */
export const spoiledBy = (invalidating: readonly string[]): SqlFragment =>
  invalidating.length === 0
    ? { sql: "false", params: [] }
    : {
        sql: `r.rid IN (SELECT rid FROM labels WHERE label IN (${invalidating.map(() => "?").join(", ")}))`,
        params: invalidating,
      };

/** Conditions joined by AND. */
export function every(conditions: readonly SqlFragment[]): SqlFragment {
  return {
    sql: conditions.map((c) => `(${c.sql})`).join(" AND "),
    params: conditions.flatMap((c) => c.params),
  };
}

/** Whether SQL reads something by a name; what stands in its string literals does not count. */
export function reads(sql: string, name: "turns" | "text" | "components"): boolean {
  const names = { turns: /\bturns\b/, text: /\btext\b/, components: /\bcomponents\b/ };
  return names[name].test(sql.replaceAll(/'(?:[^']|'')*'/g, "''"));
}
