import type { Factor } from "../../../shared/spec/common.ts";
import type { ProjectSpec } from "../../../shared/spec/project.ts";

/** The factor of changes of how evidence is read. They train nothing. */
export const harnessFactor = "diagnostics" satisfies Factor;

/** Whether a place says how evidence is read: a diagnostic of the project, or what it uses of the library. */
export function readsEvidence(
  { diagnostics }: Pick<ProjectSpec, "diagnostics">,
  { file, path }: { readonly file: string; readonly path: string },
): boolean {
  if (file === "evotrainer.yaml") return path === "library" || path.startsWith("library.");
  return (
    file.endsWith(".diagnostic.yaml") &&
    diagnostics.some((folder) => file.slice(0, file.lastIndexOf("/")) === folder.replace(/\/$/, ""))
  );
}

/** Whether only such a file can differ where how evidence is read changes and nothing else does. */
export const isHarnessFile = (file: string): boolean =>
  file === "evotrainer.yaml" || file.endsWith(".diagnostic.yaml");
