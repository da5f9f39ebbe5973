import type { DiagnosticFile } from "../../../../shared/protocol/results/diagnosticFile.ts";
import type { EvidenceScope } from "../../evidence/store/split.ts";
import { labelDiagnostics } from "../../diagnosis/labelDiagnostics.ts";
import type { Store } from "../../evidence/archive/store.ts";
import { diagnosticsGiven } from "../project/diagnosticFiles.ts";
import { usableDiagnostics } from "../project/usableDiagnostics.ts";

/**
 * Labels the rollouts of a version by the conditions that were brought along, so that they can be listed at once. What a
 * program says is left to a diagnosis.
 * @throws HarnessError specInvalid
 */
export async function labelGiven(
  store: Store,
  root: string,
  given: readonly DiagnosticFile[],
  scope: EvidenceScope,
): Promise<void> {
  if (given.length === 0) return;
  const names = new Set(diagnosticsGiven(given).map(({ spec }) => spec.name));
  const { diagnostics } = await usableDiagnostics(root, given);
  const own = diagnostics.filter(({ name, label }) => names.has(name) && label.when !== undefined);
  await store.exclusive("diagnose", () => labelDiagnostics(store, own, { rollouts: scope, groups: scope }));
}
