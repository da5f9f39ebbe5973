import { HarnessError } from "../../base/errors.ts";
import { usableDiagnostics } from "./usableDiagnostics.ts";

/** The labels that make a version invalid, by the diagnostics in force; none where the project cannot be read. */
export async function invalidatingLabels(root: string): Promise<string[]> {
  try {
    const { diagnostics } = await usableDiagnostics(root);
    return diagnostics.filter(({ label }) => label.invalidates).map(({ name }) => name);
  } catch (e) {
    // Evidence can be read while the project is being mended.
    if (HarnessError.is(e)) return [];
    throw e;
  }
}
