import { join } from "node:path";
import type { DiagnosticFile } from "../../../../shared/protocol/results/diagnosticFile.ts";
import type { EvidenceScope } from "../../evidence/store/split.ts";
import { labelDiagnostics } from "../../diagnosis/labelDiagnostics.ts";
import type { Store } from "../../evidence/archive/store.ts";
import { exists } from "../../base/files.ts";
import { projectFile } from "../../project/project.ts";
import { diagnosticsGiven, diagnosticsOfFolder } from "../project/diagnosticFiles.ts";
import { usableDiagnostics } from "../project/usableDiagnostics.ts";

/**
 * Labels the rollouts of a version by the conditions that were brought along, or that lie in a folder without a project, so
 * that they can be listed at once, as they are now. What a program says is left to a diagnosis. Answers
 * with the names of their labels.
 * @throws HarnessError specInvalid
 */
export async function labelGiven(
  store: Store,
  root: string,
  given: readonly DiagnosticFile[],
  scope: EvidenceScope,
): Promise<ReadonlySet<string>> {
  const brought = [...diagnosticsGiven(given), ...(await ofBareFolder(root))];
  if (brought.length === 0) return new Set();
  const names = new Set(brought.map(({ spec }) => spec.name));
  const { diagnostics } = await usableDiagnostics(root, given);
  const own = diagnostics.filter(({ name, label }) => names.has(name) && label.when !== undefined);
  await store.exclusive("diagnose", () => labelDiagnostics(store, own, { rollouts: scope, groups: scope }));
  return new Set(own.map(({ name }) => name));
}

/** A project says which diagnostics are in force in its lineage; a folder of evidence has only what lies in it. */
const ofBareFolder = async (root: string): Promise<ReturnType<typeof diagnosticsGiven>> =>
  (await exists(join(root, projectFile))) ? [] : (await diagnosticsOfFolder(root)).diagnostics;
