import type { ModelSpec } from "../../../../shared/spec/project.ts";
import type { LabelPrograms } from "../../diagnosis/label/labelPrograms.ts";
import { engineFolderOf } from "../workspace/workspace.ts";

/** Why nothing is run, as the end of a sentence. */
const untrusted = {
  caller: "this workspace is not trusted, so EvoTrainer does not run its programs or ask its models.",
  owner:
    "the window that has the archive does not trust this workspace, so EvoTrainer does not run its programs or ask its models.",
} as const;

/** Null where both who asks and who has the archive trust the workspace. */
export function refusedFor(trusted: { readonly caller: boolean; readonly owner: boolean }): string | null {
  if (!trusted.caller) return untrusted.caller;
  return trusted.owner ? null : untrusted.owner;
}

/** What the programs and judges of a project work with. */
export function labelProgramsOf(
  root: string,
  given: Pick<LabelPrograms, "refused" | "signal" | "progress"> & {
    readonly models: Readonly<Record<string, ModelSpec>>;
  },
): LabelPrograms {
  return { ...given, root, engineFolder: engineFolderOf(root), environment: process.env };
}
