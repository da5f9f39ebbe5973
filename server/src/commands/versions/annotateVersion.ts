import type { NoteKind } from "../../../../shared/model/noteKinds.ts";
import { HarnessError } from "../../base/errors.ts";
import { annotate } from "../../engine/versions/annotate.ts";
import { findProjectRoot } from "../../engine/workspace/workspace.ts";
import { printResult, type Io } from "../terminal/io.ts";

const kinds: Readonly<Record<string, NoteKind>> = {
  note: "text",
  tag: "tag",
  untag: "untag",
  name: "name",
  hint: "hint",
};

/** `evotrainer lineage note|tag|untag|name|hint <version> <words>`: says something of a version, which the ledger keeps. */
export async function annotateVersion(
  io: Io,
  cwd: string,
  {
    what,
    version,
    words,
  }: { readonly what: string; readonly version: string | undefined; readonly words: readonly string[] },
): Promise<void> {
  const kind = Object.hasOwn(kinds, what) ? kinds[what] : undefined;
  if (kind === undefined || version === undefined)
    throw new HarnessError(
      "badInput",
      `Write evotrainer lineage note, tag, untag, name or hint, then a version and the words; not ${what}.`,
    );
  const value = words.join(" ");
  await annotate(await findProjectRoot(cwd), { version, what: kind, value });
  printResult(
    io,
    { version, what: kind, value },
    ({ version, value }) => `${version}: ${what} “${value}” is in the ledger.`,
  );
}
