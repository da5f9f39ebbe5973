import { isPatch, type GivenEdit, type ValueEdit } from "../../../shared/spec/edit.ts";
import { HarnessError } from "../base/errors.ts";
import { editConfig } from "./configs/configText.ts";
import { applyPatch } from "./patch/applyPatch.ts";
import { readPatch } from "./patch/readPatch.ts";
import type { FileSource } from "./source.ts";

/** A file as a version would have it; null where it is not there. */
export interface EditedFile {
  readonly path: string;
  readonly before: string | null;
  readonly after: string | null;
}

/**
 * The files that edits change, one after the other, of the parent's. Nothing is written.
 * @throws HarnessError specInvalid when a file is missing, badInput when a value or a line is not as the edit says
 */
export async function editedFiles(
  name: string,
  edits: readonly GivenEdit[],
  parent: Pick<FileSource, "read">,
): Promise<EditedFile[]> {
  const edited = new Map<string, { readonly before: string | null; readonly after: string | null }>();
  const read = async (path: string): Promise<{ before: string | null; now: string | null }> => {
    const known = edited.get(path);
    if (known !== undefined) return { before: known.before, now: known.after };
    const text = (await parent.read(path)) ?? null;
    return { before: text, now: text };
  };
  for (const edit of edits)
    if (isPatch(edit))
      for (const part of readPatch(edit.patch)) {
        const { before, now } = await read(part.path);
        refuseNoText(part.path, now);
        edited.set(part.path, { before, after: applyPatch(part, now) });
      }
    else edited.set(edit.file, withValue(name, edit, await read(edit.file)));
  return [...edited].map(([path, texts]) => ({ path, ...texts }));
}

function withValue(
  name: string,
  { file, path, from, to }: ValueEdit,
  { before, now }: { readonly before: string | null; readonly now: string | null },
): Omit<EditedFile, "path"> {
  if (now === null)
    throw new HarnessError("specInvalid", `${name} edits ${file}, which the parent does not have.`);
  return { before, after: editConfig(file, now, { path, from, to }) };
}

/** Bytes that are no UTF-8 were replaced when they were read; written back, the file would not be the same. */
function refuseNoText(path: string, text: string | null): void {
  if (text !== null && /[\0\ufffd]/.test(text))
    throw new HarnessError(
      "badInput",
      `${path} is not a text in UTF-8, so no patch can change it; change it in a commit of yours.`,
    );
}
