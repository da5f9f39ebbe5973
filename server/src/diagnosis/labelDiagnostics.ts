import type { LabelCount } from "../../../shared/ledger/measures.ts";
import type { DiagnosticSpec } from "../../../shared/spec/diagnostic.ts";
import { labelAll, type LabelResult } from "../evidence/labels/labelAll.ts";
import { SharedReads } from "../evidence/labels/sharedReads.ts";
import type { EvidenceScope } from "../evidence/store/split.ts";
import type { Store } from "../evidence/archive/store.ts";
import { countTried } from "../evidence/labels/tried.ts";
import { analyzerRevision, usableLabel } from "./label/compileLabel.ts";
import { alertOfTally } from "./alertOfTally.ts";
import { countLabels } from "./countLabels.ts";
import { withoutRefuted } from "./refutedAlerts.ts";
import type { LabelledSoFar } from "./labelledSoFar.ts";
import { labelGroups } from "./groups.ts";

export interface LabelScopes {
  /** Whose rollouts are labelled. */
  readonly rollouts: EvidenceScope;
  /** Whose groups are counted. */
  readonly groups: EvidenceScope;
  /** How many rollouts carry each label, where they are labelled already. */
  readonly labelled?: readonly Omit<LabelCount, "alert">[];
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
  const overGroups = diagnostics.filter((spec) => spec.over === "group");
  // Groups are only read, so that they need not wait for the labels to be written.
  const [ofRollouts, ofGroups] = await Promise.all([
    scopes.labelled ?? labelRollouts(store, diagnostics, scopes),
    labelGroups(store, overGroups, scopes.groups),
  ]);
  const rollouts = new Map(ofRollouts.map((count) => [count.name, count]));
  const groups = new Map(ofGroups.map((count) => [count.name, count]));
  const counts: LabelCount[] = [];
  for (const spec of diagnostics) {
    const count =
      spec.over === "group"
        ? groups.get(spec.name)
        : spec.label.analyzer === undefined
          ? rollouts.get(spec.name)
          : await analyzerCount(store, spec, scopes.rollouts);
    if (count !== undefined) counts.push({ ...count, ...alertOfTally(count, spec.alert) });
  }
  return withoutRefuted(store, diagnostics, counts, scopes.rollouts);
}

/** A program set its labels when it was run, and a judge sets none. */
export const labelsByCondition = ({ label }: DiagnosticSpec): boolean => label.when !== undefined;

/** Undefined where it was tried on none of the rollouts. */
async function analyzerCount(
  store: Store,
  spec: DiagnosticSpec,
  scope: EvidenceScope,
): Promise<Omit<LabelCount, "alert"> | undefined> {
  const { name, label } = spec;
  if (label.analyzer === undefined) return undefined;
  const revision = analyzerRevision(label.analyzer);
  const count = (await countLabels(store, [spec], scope)).get(name);
  if (count === undefined) return undefined;
  if (count.rollouts > 0 && (await countTried(store, { label: name, revision }, scope)) === 0)
    return undefined;
  return {
    name,
    severity: label.severity,
    ...count,
    invalidates: label.invalidates,
    revision,
  };
}

/**
 * Labels rollouts by the diagnostics whose condition is over them, and counts those that carry each label. With `soFar` only
 * new rollouts are labelled, and all are counted.
 * @throws HarnessError specInvalid
 */
export async function labelRollouts(
  store: Store,
  diagnostics: readonly DiagnosticSpec[],
  { rollouts: scope, soFar }: { readonly rollouts: EvidenceScope; readonly soFar?: LabelledSoFar },
): Promise<Omit<LabelCount, "alert">[]> {
  const specs = diagnostics.filter((spec) => labelsByCondition(spec) && spec.over === "rollout");
  const reads = new SharedReads();
  const labels = specs.map((spec) => {
    const { sharedWhen, sharedEvidence, revision } = usableLabel(spec);
    return { label: spec.name, revision, where: sharedWhen(reads), evidence: sharedEvidence(reads) };
  });
  const keys = labels.map(({ label, revision }) => ({ label, revision }));
  const known = await soFar?.known(store, scope, keys);
  const within = known === undefined ? scope : { ...scope, fromRid: known.fromRid };
  const fresh = await labelAll(store, { scope: within, labels, reads });
  const results = known === undefined ? fresh : fresh.map((one, i) => sumOf(one, known.results[i]));
  await soFar?.remember(store, scope, { labels: keys, results, known });
  return specs.map(({ name, label: { severity, invalidates } }, i) => ({
    name,
    severity,
    ...(results[i] ?? { labelled: 0, rollouts: 0, undecided: 0 }),
    invalidates,
    revision: labels[i]?.revision ?? "",
  }));
}

const sumOf = (one: LabelResult, other: LabelResult | undefined): LabelResult => ({
  rollouts: one.rollouts + (other?.rollouts ?? 0),
  labelled: one.labelled + (other?.labelled ?? 0),
  undecided: one.undecided + (other?.undecided ?? 0),
});
