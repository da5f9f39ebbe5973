import { numberOf, stringOf } from "../store/rows.ts";
import type { Store } from "../store/database.ts";
import { scopeCondition, type EvidenceScope } from "../store/split.ts";

/**
 * The rids of the rollouts of a scope that carry each label, as far as they were labelled; a label that none carries has no
 * entry. @throws HarnessError badInput for the sealed audit split
 */
export async function labelledIn(
  store: Store,
  scope: EvidenceScope,
  labels: readonly string[],
): Promise<ReadonlyMap<string, readonly number[]>> {
  const where = scopeCondition(scope);
  const rows = await store.query({
    sql: `SELECT DISTINCT l.label, l.rid::DOUBLE AS rid FROM labels l JOIN rollouts r ON r.rid = l.rid
          WHERE ${where.sql} AND l.label IN (SELECT unnest(from_json(?, '["VARCHAR"]'))) ORDER BY l.label, rid`,
    params: [...where.params, JSON.stringify(labels)],
  });
  const found = new Map<string, number[]>();
  for (const row of rows) {
    const label = stringOf(row, "label");
    const rids = found.get(label) ?? [];
    found.set(label, rids);
    rids.push(numberOf(row, "rid"));
  }
  return found;
}
