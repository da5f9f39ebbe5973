import type { DiagnosticSpec } from "../../../shared/spec/diagnostic.ts";
import { tablesFor } from "../evidence/derived.ts";
import { numberOf } from "../evidence/rows.ts";
import { scopeCondition, type EvidenceScope } from "../evidence/split.ts";
import type { Store } from "../evidence/store.ts";
import type { LabelShare } from "../predicate/facts.ts";
import { compileLabel, unusable } from "./compileLabel.ts";

/** How many rollouts of a scope a diagnostic would label; nothing is written. @throws HarnessError specInvalid */
export async function countLabels(
  store: Store,
  spec: DiagnosticSpec,
  scope: EvidenceScope,
): Promise<LabelShare> {
  const compiled = compileLabel(spec);
  if (!compiled.ok) throw unusable(spec, compiled.key, compiled.problems);
  const { when } = compiled.label;
  const where = scopeCondition(scope);
  const [row = {}] = await store.query({
    sql: `SELECT count(*) AS rollouts, count(*) FILTER (verdict) AS labelled, count(*) FILTER (verdict IS NULL) AS undecided
          FROM (SELECT (${when}) AS verdict FROM ${await tablesFor(store, when)} WHERE ${where.sql})`,
    params: where.params,
  });
  return {
    rollouts: numberOf(row, "rollouts"),
    labelled: numberOf(row, "labelled"),
    undecided: numberOf(row, "undecided"),
  };
}
