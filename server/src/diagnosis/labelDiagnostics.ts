import type { LabelCount } from "../../../shared/model/ledger.ts";
import type { DiagnosticSpec } from "../../../shared/spec/diagnostic.ts";
import { labelAll } from "../evidence/labelAll.ts";
import type { EvidenceScope } from "../evidence/split.ts";
import type { Store } from "../evidence/store.ts";
import { TurnColumns } from "../predicate/turnColumns.ts";
import { usableLabel } from "./compileLabel.ts";
import { labelGroups } from "./groups.ts";

export interface LabelScopes {
  /** Whose rollouts are labelled. */
  readonly rollouts: EvidenceScope;
  /** Whose groups are counted. */
  readonly groups: EvidenceScope;
}

/**
 * Labels rollouts and counts groups by every diagnostic that is over one of them, in the given order. All that are over
 * rollouts are tried in one reading of the turns.
 * @throws HarnessError specInvalid
 */
export async function labelDiagnostics(
  store: Store,
  diagnostics: readonly DiagnosticSpec[],
  scopes: LabelScopes,
): Promise<LabelCount[]> {
  const overRollouts = diagnostics.filter((spec) => spec.over === "rollout");
  const rollouts = new Map(
    (await labelRollouts(store, overRollouts, scopes.rollouts)).map((c) => [c.name, c]),
  );
  const counts: LabelCount[] = [];
  for (const spec of diagnostics) {
    const count =
      spec.over === "group" ? await labelGroups(store, spec, scopes.groups) : rollouts.get(spec.name);
    if (count !== undefined) counts.push({ ...count, alert: alertOf(spec, count) });
  }
  return counts;
}

async function labelRollouts(
  store: Store,
  specs: readonly DiagnosticSpec[],
  scope: EvidenceScope,
): Promise<Omit<LabelCount, "alert">[]> {
  const shared = new TurnColumns();
  const labels = specs.map((spec) => {
    const { sharedWhen, evidence, revision } = usableLabel(spec);
    return { label: spec.name, revision, where: sharedWhen(shared), evidence };
  });
  const results = await labelAll(store, { scope, labels, turnColumns: shared.select });
  return specs.map(({ name, label: { severity, invalidates } }, i) => ({
    name,
    severity,
    ...(results[i] ?? { labelled: 0, rollouts: 0, undecided: 0 }),
    invalidates,
    revision: labels[i]?.revision ?? "",
  }));
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
