import type { OpenSplit } from "../../../../shared/protocol/results/openSplit.ts";
import type { DiagnosticFile } from "../../../../shared/protocol/results/diagnosticFile.ts";
import { countLabels } from "../../diagnosis/countLabels.ts";
import { numberOrNull } from "../../evidence/store/rows.ts";
import { scopeCondition } from "../../evidence/store/split.ts";
import type { Store } from "../../evidence/archive/store.ts";
import { usableDiagnostics } from "../project/usableDiagnostics.ts";

/** So many rollouts, the newest, show whether diagnostics would set labels: to ask all of them would take as long as labelling. */
const looked = 1000;

/**
 * Whether rollouts of a version have no label only because nobody has labelled them yet. Labels that were set just now, without
 * a diagnosis, say nothing of the others. It looks at the newest rollouts: a list is to open at once, however many there are.
 */
export async function awaitsLabels(
  store: Store,
  root: string,
  of: {
    readonly version: string;
    readonly split: OpenSplit;
    readonly given: readonly DiagnosticFile[];
    readonly justSet: ReadonlySet<string>;
  },
): Promise<boolean> {
  const { version, split, given, justSet } = of;
  const scope = { version, split };
  const where = scopeCondition(scope);
  const carried = await store.query({
    sql: `SELECT 1 FROM labels l JOIN rollouts r USING (rid)
          WHERE ${where.sql} AND l.label NOT IN (SELECT unnest(?)) LIMIT 1`,
    params: [...where.params, [...justSet]],
  });
  if (carried.length > 0) return false;
  // Evidence can be read while the project is being mended.
  const diagnostics = await usableDiagnostics(root, given).then(
    (usable) => usable.diagnostics,
    () => [],
  );
  const others = diagnostics.filter(({ name, label }) => !justSet.has(name) && label.when !== undefined);
  const [row = {}] = await store.query({
    sql: `SELECT min(rid) AS first FROM (SELECT r.rid FROM rollouts r WHERE ${where.sql} ORDER BY r.rid DESC LIMIT ${looked})`,
    params: where.params,
  });
  const fromRid = numberOrNull(row, "first");
  if (fromRid === null) return false;
  const counts = await countLabels(store, others, { ...scope, fromRid });
  return [...counts.values()].some(({ labelled }) => labelled > 0);
}
