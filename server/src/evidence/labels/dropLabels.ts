import type { LabelKey } from "./labelKeys.ts";
import type { Store } from "../store/database.ts";
import { makeBinder } from "../store/sql.ts";
import { numberOf } from "../store/rows.ts";
import { scopeCondition, type EvidenceScope } from "../store/split.ts";

/**
 * Takes labels that no diagnostic in use sets any more off the rollouts of a scope: those of a diagnostic that was renamed or
 * removed would stay beside the new ones. What a program said is kept, since running it again costs time, unless the same
 * program goes by another name now.
 */
export async function dropOtherLabels(
  store: Store,
  inUse: readonly LabelKey[],
  of: EvidenceScope,
): Promise<void> {
  const names = inUse.map(({ label }) => label);
  const rows = await store.query({
    sql: `SELECT key FROM label_keys
          WHERE label NOT IN (SELECT unnest(?))
            AND (revision IN (SELECT unnest(?)) OR label NOT IN (SELECT label FROM tried))`,
    params: [names, inUse.map(({ revision }) => revision)],
  });
  if (rows.length === 0) return;
  const keys = rows.map((row) => numberOf(row, "key")).join(", ");
  const scope = scopeCondition(of);
  const within = `rid IN (SELECT r.rid FROM rollouts r WHERE ${scope.sql})`;
  const [found] = await store.query({
    sql: `SELECT 1 FROM labelled WHERE key IN (${keys}) AND ${within} LIMIT 1`,
    params: scope.params,
  });
  // What is not written costs nothing, and most diagnoses find nothing.
  if (found === undefined) return;
  const bind = makeBinder(store.duckdb);
  await store.write(async (connection) => {
    for (const sql of [
      `DELETE FROM labelled WHERE key IN (${keys}) AND ${within}`,
      `DELETE FROM tried WHERE (label, revision) IN (SELECT (label, revision) FROM label_keys WHERE key IN (${keys})) AND ${within}`,
    ]) {
      const { values, types } = bind(scope.params);
      await connection.run(sql, values, types);
    }
  });
}
