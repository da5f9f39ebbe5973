import type { LabelCount } from "../../../../shared/ledger/measures.ts";
import type { DiagnosticSpec } from "../../../../shared/spec/diagnostic.ts";
import { harmless, trialsAmong } from "../../decision/admission/inForce.ts";
import { buildLineage } from "../../lineage/graph.ts";
import { admittedChanges } from "./harnessProject.ts";
import type { KnownLineage } from "./knownLineage.ts";

/** Says of labels whose diagnostics are on trial that they are. */
export const markTrials = (labels: readonly LabelCount[], onTrial: ReadonlySet<string>): LabelCount[] =>
  labels.map((label) => (onTrial.has(label.name) ? { ...label, onTrial: true } : label));

/** Diagnostics of the work tree, those that are on trial without the power to make a version invalid; and their names. */
export async function withoutTrialPower(
  specs: readonly DiagnosticSpec[],
  { repository, entries }: Pick<KnownLineage, "repository" | "entries">,
  domain: string,
): Promise<{ readonly diagnostics: readonly DiagnosticSpec[]; readonly onTrial: ReadonlySet<string> }> {
  if (repository === undefined) return { diagnostics: specs, onTrial: new Set() };
  const onTrial = trialsAmong(specs, await admittedChanges(repository, buildLineage(entries, domain)));
  return { diagnostics: specs.map((spec) => (onTrial.has(spec.name) ? harmless(spec) : spec)), onTrial };
}
