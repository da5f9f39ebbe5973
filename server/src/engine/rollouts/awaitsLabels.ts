import type { OpenSplit } from "../../../../shared/protocol/results/openSplit.ts";
import type { DiagnosticFile } from "../../../../shared/protocol/results/diagnosticFile.ts";
import { countLabels } from "../../diagnosis/countLabels.ts";
import { scopeCondition } from "../../evidence/store/split.ts";
import type { Store } from "../../evidence/archive/store.ts";
import { usableDiagnostics } from "../project/usableDiagnostics.ts";

/**
 * Whether rollouts of a version have no label only because nobody has labelled them yet. Labels that were set just now, without
 * a diagnosis, say nothing of the others. Where any other label stands this is answered at once; otherwise it takes as long as
 * labelling.
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
  const counts = await countLabels(store, others, scope);
  return [...counts.values()].some(({ labelled }) => labelled > 0);
}
