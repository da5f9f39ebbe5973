import type { Store } from "../store/database.ts";
import { steplessCondition } from "../archive/coverage.ts";
import { tablesFor } from "../store/derived.ts";
import { conditionsOf, spoiledBy, type RolloutFilter } from "./rolloutFilter.ts";
import { numberOf, stringOrNull } from "../store/rows.ts";

/** One value and the rollouts that have it; null are those without one. */
export interface RolloutGroup {
  readonly value: string | null;
  readonly rollouts: number;
  /** Of those that count. */
  readonly pass: number;
  /** Those that carry an invalidating label. */
  readonly notValid: number;
}

const columns = {
  outcome: "r.outcome",
  stop_reason: "r.stop_reason",
  step: "r.step",
  item: "r.item",
} as const;

/**
 * Rollouts of a filter by a value, the most frequent value first and steps in their order; at most `limit`. A rollout with several labels
 * counts for each of them.
 */
export async function groupRollouts(
  store: Store,
  filter: RolloutFilter,
  {
    by,
    limit,
    invalidating = [],
  }: {
    readonly by: keyof typeof columns | "label";
    readonly limit: number;
    /** Labels because of which a rollout does not count. */
    readonly invalidating?: readonly string[];
  },
): Promise<{ readonly groups: readonly RolloutGroup[]; readonly more: boolean }> {
  const condition = conditionsOf(filter);
  const tables = await tablesFor(store, condition.sql);
  const labelled = by === "label" ? "LEFT JOIN labels l ON l.rid = r.rid" : "";
  const stepless = by === "step" ? await steplessCondition(store) : undefined;
  const step = stepless === undefined ? columns.step : `CASE WHEN NOT ${stepless} THEN r.step END`;
  const value = by === "label" ? "l.label" : by === "step" ? step : columns[by];
  const spoiled = spoiledBy(invalidating);
  const rows = await store.query({
    sql: `SELECT CAST(${value} AS VARCHAR) AS value, count(*) AS rollouts,
            count(*) FILTER (${spoiled.sql}) AS not_valid,
            count(*) FILTER (r.outcome = 'pass' AND NOT ${spoiled.sql}) AS pass
          FROM ${tables} ${labelled} WHERE ${condition.sql}
          GROUP BY ${value} ORDER BY ${by === "step" ? value : `rollouts DESC, ${value}`} LIMIT ${limit + 1}`,
    params: [...spoiled.params, ...spoiled.params, ...condition.params],
  });
  return {
    groups: rows.slice(0, limit).map((row) => ({
      value: stringOrNull(row, "value"),
      rollouts: numberOf(row, "rollouts"),
      pass: numberOf(row, "pass"),
      notValid: numberOf(row, "not_valid"),
    })),
    more: rows.length > limit,
  };
}
