import { refused, shown, type PatchLines } from "./patchLines.ts";
import { readNames, type PatchNames } from "./patchNames.ts";

/** Lines of a file that a patch replaces. Lines have their line ends. */
export interface PatchHunk {
  /** Where its old lines begin, counted from 0, as the patch says. */
  readonly start: number;
  readonly before: readonly string[];
  readonly after: readonly string[];
  /** Its header's line in the patch, counted from 1. */
  readonly line: number;
}

/** What a patch makes of one file. */
export interface FilePatch extends PatchNames {
  readonly hunks: readonly PatchHunk[];
}

const hunkHeader = /^@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@(?: .*)?$/;

/** What a unified diff ends a line with that ends its file without a line end. */
const noLineEnd = /^\\ No newline at end of file$/;

/**
 * Reads a unified diff. Every line of it must be understood: what some tool would pass over could say another thing to the
 * person who approves it. @throws HarnessError badInput
 */
export function readPatch(text: string): FilePatch[] {
  refuseBytes(text);
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  const reader: PatchLines = { lines, at: 0 };
  while (lines[reader.at]?.trim() === "") reader.at++;
  const files: FilePatch[] = [];
  // A line of a blank may be a hunk's last, so only what is left behind all files is passed over.
  while (lines.slice(reader.at).some((line) => line.trim() !== "")) files.push(readFile(reader));
  if (files.length === 0) throw refused("The patch is empty; write a unified diff as `git diff` does.");
  const twice = files.find((file, i) => files.findIndex(({ path }) => path === file.path) !== i);
  if (twice !== undefined)
    throw refused(`The patch changes ${twice.path} in two places of its list; give each file once.`);
  return files;
}

function refuseBytes(text: string): void {
  if (text.includes("\0"))
    throw refused("The patch holds a zero byte; only texts can be changed by a patch.");
  if (/^(?:diff --git|---|\+\+\+|@@) .*\r$/m.test(text))
    throw refused("The patch has Windows line ends (CRLF); save it with LF.");
}

function readFile(reader: PatchLines): FilePatch {
  const names = readNames(reader);
  const hunks: PatchHunk[] = [];
  while (reader.lines[reader.at]?.startsWith("@@") === true)
    hunks.push(readHunk(reader, names.path, hunks.length + 1));
  const next = reader.lines[reader.at];
  if (next !== undefined && !isFileHeader(next) && reader.lines.slice(reader.at).some((l) => l.trim() !== ""))
    throw refused(
      hunks.length === 0
        ? `Line ${reader.at + 1} of the patch is not one of a unified diff: ${shown(next)}`
        : `Line ${reader.at + 1} of the patch comes after hunk ${hunks.length} of ${names.path} has all the lines that its header counts: ${shown(next)} Correct the numbers in its @@ line.`,
    );
  if (hunks.length === 0 && names.type === "change")
    throw refused(`The patch names ${names.path} but changes no line of it; take it out.`);
  return { ...names, hunks };
}

const isFileHeader = (line: string): boolean => /^(?:diff --git|---) /.test(line);

function readHunk(reader: PatchLines, path: string, number: number): PatchHunk {
  const line = reader.at + 1;
  const name = `Hunk ${number} of ${path} (line ${line} of the patch)`;
  const header = reader.lines[reader.at++] ?? "";
  const found = hunkHeader.exec(header);
  if (found === null)
    throw refused(
      `Line ${line} of the patch should say where hunk ${number} of ${path} belongs, as in @@ -10,3 +10,4 @@, but it is ${shown(header)}`,
    );
  const [, start = "0", removed = "1", , added = "1"] = found;
  const { before, after } = readHunkLines(reader, name, { removed: Number(removed), added: Number(added) });
  if (before.length === after.length && before.every((text, i) => text === after[i]))
    throw refused(`${name} changes nothing; take it out.`);
  // A hunk without old lines names the line that it comes after.
  return { start: Math.max(0, Number(start) - (before.length === 0 ? 0 : 1)), before, after, line };
}

function readHunkLines(
  reader: PatchLines,
  name: string,
  { removed, added }: { readonly removed: number; readonly added: number },
): Pick<PatchHunk, "before" | "after"> {
  const [before, after]: [string[], string[]] = [[], []];
  while (before.length < removed || after.length < added) {
    const text = reader.lines[reader.at];
    const sign = text === "" ? " " : text?.charAt(0);
    if (text === undefined || (sign !== " " && sign !== "-" && sign !== "+"))
      throw refused(
        `${name} ends after ${before.length} old and ${after.length} new lines, but its header counts ${removed} and ${added}. Correct the numbers in its @@ line.`,
      );
    reader.at++;
    const isLast = noLineEnd.test(reader.lines[reader.at] ?? "");
    const content = `${text.slice(1)}${isLast ? "" : "\n"}`;
    if (isLast) reader.at++;
    if (sign !== "+") before.push(content);
    if (sign !== "-") after.push(content);
  }
  if (before.length > removed || after.length > added)
    throw refused(
      `${name} has more lines than the ${removed} old and ${added} new ones that its header counts. Correct the numbers in its @@ line.`,
    );
  return { before, after };
}
