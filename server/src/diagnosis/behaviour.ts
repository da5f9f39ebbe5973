import { ensureFeatures } from "../evidence/derived.ts";
import { numberOrNull } from "../evidence/rows.ts";
import { scopeCondition, type EvidenceScope } from "../evidence/split.ts";
import type { Store } from "../evidence/store.ts";

export interface BehaviourSignals {
  /** Mean turns of the policy over all rollouts, and over the failed ones; null without any. */
  readonly turns_mean: number | null;
  readonly turns_mean_failed: number | null;
  /** Share of the calls of `edit` that did not succeed; null where nothing was edited. */
  readonly edit_failure_rate: number | null;
}

/** What the policy did, over the rollouts of a version and split. */
export async function behaviourSignals(store: Store, scope: EvidenceScope): Promise<BehaviourSignals> {
  await ensureFeatures(store);
  const where = scopeCondition(scope);
  const [turns = {}] = await store.query({
    sql: `SELECT avg(f.n_turns) AS all_turns, avg(f.n_turns) FILTER (r.outcome = 'fail') AS failed_turns
          FROM rollouts r JOIN features f ON f.rid = r.rid WHERE ${where.sql}`,
    params: where.params,
  });
  const [edits = {}] = await store.query({
    sql: `SELECT avg((NOT t.ok)::INTEGER) AS failure_rate FROM turns t JOIN rollouts r ON r.rid = t.rid
          WHERE ${where.sql} AND t.role = 'assistant' AND t.tool = 'edit' AND t.ok IS NOT NULL`,
    params: where.params,
  });
  return {
    turns_mean: numberOrNull(turns, "all_turns"),
    turns_mean_failed: numberOrNull(turns, "failed_turns"),
    edit_failure_rate: numberOrNull(edits, "failure_rate"),
  };
}
