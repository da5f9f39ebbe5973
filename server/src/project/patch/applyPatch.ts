import { counted } from "../../../../shared/words/numbers.ts";
import { linesOf } from "../../base/lineDiff.ts";
import { lineEndProblem } from "./lineEnds.ts";
import { refused, shown } from "./patchLines.ts";
import type { FilePatch, PatchHunk } from "./readPatch.ts";

/**
 * The text of a file after a patch; null when it is not there, before or after. Lines must be as the patch has them. A hunk
 * may stand at another line than its header says if its lines are in one place only, since what lies above may have grown.
 * @throws HarnessError badInput that names the file, the hunk and the first line that differs
 */
export function applyPatch(patch: FilePatch, before: string | null): string | null {
  const { path, type, hunks } = patch;
  if (type === "add" && before !== null)
    throw refused(`The patch adds ${path}, but the parent has that file already; write what changes in it.`);
  if (type !== "add" && before === null)
    throw refused(
      `The patch ${type === "remove" ? "removes" : "changes"} ${path}, which the parent does not have.`,
    );
  const after = withHunks(patch, linesOf(before));
  if (type === "remove") {
    if (after !== "" || (hunks.length === 0 && before !== ""))
      throw refused(`The patch removes ${path}, but leaves lines of it; remove all of them.`);
    return null;
  }
  const problem = lineEndProblem(path, before, after);
  if (problem !== undefined) throw refused(problem);
  return after;
}

function withHunks({ path, hunks }: FilePatch, lines: readonly string[]): string {
  const made: string[] = [];
  let at = 0;
  for (const [i, hunk] of hunks.entries()) {
    const place = placeOf(hunk, lines, { from: at, name: `${path} hunk ${i + 1}` });
    made.push(...lines.slice(at, place), ...hunk.after);
    at = place + hunk.before.length;
  }
  const text = [...made, ...lines.slice(at)];
  const torn = text.findIndex((line, i) => i < text.length - 1 && !line.endsWith("\n"));
  if (torn >= 0)
    throw refused(
      `The patch does not apply: it ends line ${torn + 1} of ${path} without a line end, though other lines follow.`,
    );
  return text.join("");
}

/** Where a hunk belongs among the lines that are left. */
function placeOf(
  hunk: PatchHunk,
  lines: readonly string[],
  { from, name }: { readonly from: number; readonly name: string },
): number {
  const { before, start, line } = hunk;
  const where = `in ${name} (line ${line} of the patch)`;
  if (before.length === 0) {
    if (lines.length === 0 && start === 0) return 0;
    throw refused(
      `The patch does not apply: ${where} gives no line of the file, so nobody can tell where its lines belong. Give some lines of context, as \`git diff\` does.`,
    );
  }
  const fits = (place: number): boolean => before.every((text, i) => lines[place + i] === text);
  if (start >= from && fits(start)) return start;
  const places: number[] = [];
  for (let place = from; place + before.length <= lines.length; place++) if (fits(place)) places.push(place);
  const [only, another] = places;
  if (only !== undefined && another === undefined) return only;
  if (only !== undefined)
    throw refused(
      `The patch does not apply: ${where} does not fit at line ${start + 1}, and its lines are in ${places.length} other places. Correct the numbers in its @@ line, or give more context.`,
    );
  throw refused(`The patch does not apply: ${where} ${differenceAt(before, lines, start)}`);
}

/** What is otherwise where a hunk should fit, as the end of a sentence and what to do. */
function differenceAt(before: readonly string[], lines: readonly string[], start: number): string {
  const first = before.findIndex((text, i) => lines[start + i] !== text);
  const [wanted = "", found] = [before[Math.max(0, first)], lines[start + Math.max(0, first)]];
  const at = `at line ${start + Math.max(0, first) + 1}`;
  if (found === undefined)
    return `expects ${quoted(wanted)} ${at}, but the file has ${counted(lines.length, "line")}. Write the patch against the parent's file.`;
  if (found.replace(/\r?\n?$/, "") === wanted.replace(/\r?\n?$/, ""))
    return `differs ${at} in the line end only: the file has ${endOf(found)}, the patch ${endOf(wanted)}.`;
  return `expects ${quoted(wanted)} ${at}, but the file has ${shown(found.trimEnd())} Write the patch against the parent's file.`;
}

const quoted = (line: string): string => shown(line.trimEnd()).slice(0, -1);

function endOf(line: string): string {
  if (line.endsWith("\r\n")) return "a Windows line end (CRLF)";
  return line.endsWith("\n") ? "LF" : "none";
}
