import { HarnessError } from "../../base/errors.ts";
import { annotate } from "../../engine/versions/annotate.ts";
import { findProjectRoot } from "../../engine/workspace/workspace.ts";
import { annotationWords, isAnnotation } from "./annotationWords.ts";
import { printResult, type Io } from "../terminal/io.ts";

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
  const kind = isAnnotation(what) ? annotationWords[what] : undefined;
  if (kind === undefined || version === undefined)
    throw new HarnessError(
      "badInput",
      `Write evotrainer lineage note, tag, untag, name or hint, then a version and the words; not ${what}.`,
    );
  const value = words.join(" ");
  const named = await annotate(await findProjectRoot(cwd), { version, what: kind, value });
  printResult(
    io,
    { version: named, what: kind, value },
    ({ version, value }) => `${version}: ${what} “${value}” is in the ledger.`,
  );
}
