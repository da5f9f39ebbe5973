import { HarnessError } from "../../base/errors.ts";
import { lineDiff, linesOf } from "../../base/lineDiff.ts";
import { applyPatch } from "../../project/patch/applyPatch.ts";
import { readPatch, type FilePatch } from "../../project/patch/readPatch.ts";
import type { OutcomeFile } from "./difference.ts";

/**
 * Whether files differ from the parent by a patch, or by a part of it: in each of its files some of its lines change, and no
 * others. What a person wrote instead is another change, of which the patch's author claimed nothing.
 */
export function isPartOfPatch(patch: string, files: readonly OutcomeFile[]): boolean {
  try {
    const parts = readPatch(patch).map((part) => changeBy(part, files));
    return parts.some((part) => part === "part") && !parts.includes("other");
  } catch (e) {
    if (HarnessError.is(e, "badInput")) return false;
    throw e;
  }
}

function changeBy(part: FilePatch, files: readonly OutcomeFile[]): "none" | "part" | "other" {
  const file = files.find(({ path }) => path === part.path);
  if (file === undefined || file.before === file.after) return "none";
  const wanted = changedLines({ ...file, after: applyPatch(part, file.before) });
  const made = changedLines(file);
  return isWithin(made.removed, wanted.removed) && isWithin(made.added, wanted.added) ? "part" : "other";
}

function changedLines({ before, after }: Pick<OutcomeFile, "before" | "after">) {
  const [from, to] = [linesOf(before), linesOf(after)];
  const { removed, added } = lineDiff(from, to);
  return { removed: removed.map((i) => from[i] ?? ""), added: added.map((i) => to[i] ?? "") };
}

/** Whether each line is among others, as often as there. */
function isWithin(lines: readonly string[], others: readonly string[]): boolean {
  const left = [...others];
  return lines.every((line) => {
    const at = left.indexOf(line);
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  });
}
