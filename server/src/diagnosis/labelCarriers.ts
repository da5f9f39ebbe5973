import type { DiagnosticSpec } from "../../../shared/spec/diagnostic.ts";
import type { Store } from "../evidence/archive/store.ts";
import { SharedReads } from "../evidence/labels/sharedReads.ts";
import { verdictsOf } from "../evidence/labels/verdicts.ts";
import { labelledIn } from "../evidence/queries/labelledIn.ts";
import { numberOf } from "../evidence/store/rows.ts";
import { versionsOf, type EvidenceScope } from "../evidence/store/split.ts";
import { usableLabel } from "./label/compileLabel.ts";
import { labelsByCondition } from "./labelDiagnostics.ts";

/**
 * The rids of the rollouts of a scope that carry each label; a label that none carries has no entry. Conditions are tried
 * as they are now, whether or not anybody labelled the scope before, and nothing is stored; labels of a program are taken
 * as they were stored. Diagnostics over something else than rollouts are passed over.
 * @throws HarnessError specInvalid when a diagnostic does not compile, badInput for the sealed audit split
 */
export async function labelCarriers(
  store: Store,
  scope: EvidenceScope,
  diagnostics: readonly DiagnosticSpec[],
): Promise<ReadonlyMap<string, readonly number[]>> {
  const overRollouts = diagnostics.filter(({ over }) => over === "rollout");
  const tried = overRollouts.filter(labelsByCondition);
  const stored = overRollouts.filter((spec) => !labelsByCondition(spec)).map(({ name }) => name);
  const found = new Map(stored.length === 0 ? [] : await labelledIn(store, scope, stored));
  if (tried.length === 0) return found;
  const reads = new SharedReads();
  const conditions = tried.map((spec) => usableLabel(spec).sharedWhen(reads));
  const verdicts = await verdictsOf(store, { scope, conditions, reads });
  const lists = tried.map((_, i) => `list(rid::DOUBLE ORDER BY rid) FILTER (v${i}) AS l${i}`);
  const [row = {}] = await store.query({
    sql: `SELECT ${lists.join(", ")} FROM (${verdicts.sql})`,
    params: verdicts.params,
    of: versionsOf(scope),
  });
  tried.forEach(({ name }, i) => {
    const rids = row[`l${i}`];
    if (Array.isArray(rids) && rids.length > 0)
      found.set(
        name,
        rids.map((rid) => numberOf({ rid }, "rid")),
      );
  });
  return found;
}
