import type { CaseEdit } from "../../memory/cases/case.ts";
import { readPatch } from "../../project/patch/readPatch.ts";
import { HarnessError } from "../../base/errors.ts";

/** What an edit changes, on one line. */
export function editText(edit: CaseEdit): string {
  if (edit.type === "patch") return `${patchedFiles(edit.patch)} (a patch)`;
  const said = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));
  return `${edit.path} in ${edit.file}: ${said(edit.from)} → ${said(edit.to)}`;
}

function patchedFiles(patch: string): string {
  try {
    return readPatch(patch)
      .map(({ path }) => path)
      .join(", ");
  } catch (e) {
    if (HarnessError.is(e)) return "files";
    throw e;
  }
}
