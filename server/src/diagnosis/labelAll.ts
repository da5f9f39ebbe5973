import type { LabelCount } from "../../../shared/model/ledger.ts";
import type { DiagnosticSpec } from "../../../shared/spec/diagnostic.ts";
import { labelRollouts } from "../evidence/labels.ts";
import { countRollouts } from "../evidence/query.ts";
import type { EvidenceScope } from "../evidence/split.ts";
import type { Store } from "../evidence/store.ts";
import { compileLabel, unusable } from "./compileLabel.ts";
import { labelGroups } from "./groups.ts";

export interface LabelScopes {
  /** Whose rollouts are labelled. */
  readonly rollouts: EvidenceScope;
  /** Whose groups are counted. */
  readonly groups: EvidenceScope;
}

/**
 * Labels rollouts and counts groups by every diagnostic that is over one of them, in the given order.
 * @throws HarnessError specInvalid
 */
export async function labelAll(
  store: Store,
  diagnostics: readonly DiagnosticSpec[],
  scopes: LabelScopes,
): Promise<LabelCount[]> {
  const labels: LabelCount[] = [];
  // A version of which there are metrics only: nothing to label, and a predicate looks at the turns of the whole archive.
  const isEmpty = (await countRollouts(store, scopes.rollouts)).total === 0;
  for (const spec of diagnostics) {
    if (spec.over === "version") continue;
    const count = await (spec.over === "group"
      ? labelGroups(store, spec, scopes.groups)
      : isEmpty
        ? emptyCount(spec)
        : labelWith(store, spec, scopes.rollouts));
    labels.push({ ...count, alert: alertOf(spec, count) });
  }
  return labels;
}

const emptyCount = ({ name, label }: DiagnosticSpec): Omit<LabelCount, "alert"> => ({
  name,
  severity: label.severity,
  labelled: 0,
  rollouts: 0,
  undecided: 0,
  invalidates: label.invalidates,
});

async function labelWith(
  store: Store,
  spec: DiagnosticSpec,
  scope: EvidenceScope,
): Promise<Omit<LabelCount, "alert">> {
  const compiled = compileLabel(spec);
  if (!compiled.ok) throw unusable(spec, compiled.key, compiled.problems);
  const { when, evidence, revision } = compiled.label;
  const { rollouts, labelled, undecided } = await labelRollouts(store, {
    scope,
    label: spec.name,
    revision,
    where: { sql: when, params: [] },
    ...(evidence === null ? {} : { evidence: { sql: evidence, params: [] } }),
  });
  const { severity, invalidates } = spec.label;
  return { name: spec.name, severity, labelled, rollouts, undecided, invalidates, revision };
}

function alertOf(
  { alert }: DiagnosticSpec,
  { labelled, rollouts }: Omit<LabelCount, "alert">,
): LabelCount["alert"] {
  if (alert === undefined || rollouts === 0) return null;
  const rate = labelled / rollouts;
  if (alert.critical !== undefined && rate > alert.critical) return "critical";
  return rate > alert.above ? "warning" : null;
}
