import type { LabelTally } from "../../../shared/model/labelShare.ts";
import type { DiagnosticSpec } from "../../../shared/spec/diagnostic.ts";
import { numberOf } from "../evidence/store/rows.ts";
import { SharedReads } from "../evidence/labels/sharedReads.ts";
import { versionsOf, type EvidenceScope } from "../evidence/store/split.ts";
import type { Store } from "../evidence/archive/store.ts";
import { verdictsOf } from "../evidence/labels/verdicts.ts";
import { usableLabel } from "./label/compileLabel.ts";

/** How many rollouts of a scope there are, carry a label, and are undecided. */
export type CountedLabel = LabelTally & { readonly undecided: number };

/**
 * How many rollouts of a scope each diagnostic would label, by its name; nothing is written.
 * @throws HarnessError specInvalid
 */
export async function countLabels(
  store: Store,
  specs: readonly DiagnosticSpec[],
  scope: EvidenceScope,
): Promise<ReadonlyMap<string, CountedLabel>> {
  if (specs.length === 0) return new Map();
  const reads = new SharedReads();
  const conditions = specs.map((spec) => usableLabel(spec).sharedWhen(reads));
  const verdicts = await verdictsOf(store, { scope, conditions, reads });
  const counts = specs.map(
    (_, i) => `count(*) FILTER (v${i}) AS n${i}, count(*) FILTER (v${i} IS NULL) AS u${i}`,
  );
  const [row = {}] = await store.query({
    sql: `SELECT count(*) AS rollouts, ${counts.join(", ")} FROM (${verdicts.sql})`,
    params: verdicts.params,
    of: versionsOf(scope),
  });
  const rollouts = numberOf(row, "rollouts");
  return new Map(
    specs.map(({ name }, i) => [
      name,
      { rollouts, labelled: numberOf(row, `n${i}`), undecided: numberOf(row, `u${i}`) },
    ]),
  );
}
