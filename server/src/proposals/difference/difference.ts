import type { Scalar } from "../../../../shared/spec/common.ts";
import { lineDiff, linesOf } from "../../base/lineDiff.ts";
import { configFramework, configScalars, isConfig } from "../../project/configs/configText.ts";
import { changesOf } from "../../project/configs/configValues.ts";
import type { EditedFile } from "../../project/editedFiles.ts";
import { definitionsAround } from "./definitions.ts";

/** A file as a version would have it. */
export type OutcomeFile = EditedFile;

/** A value that a version has otherwise than its parent; the path is "" where a file differs that has no values. */
export interface Difference {
  readonly file: string;
  readonly path: string;
  readonly from: Scalar | undefined;
  readonly to: Scalar | undefined;
}

/** More of them would not be read. */
const titledAtMost = 6;
const namedAtMost = 3;
const longestValue = 60;

/** What really differs, value by value where a file has values. */
export function differenceOf(files: readonly OutcomeFile[]): Difference[] {
  return files.filter(({ before, after }) => before !== after).flatMap(inFile);
}

function inFile({ path: file, before, after }: OutcomeFile): Difference[] {
  const whole: Difference = { file, path: "", from: undefined, to: undefined };
  if (!isConfig(file) || before === null || after === null) return [whole];
  if (configFramework(file, before) !== configFramework(file, after)) return [whole];
  const [from, to] = [configScalars(file, before), configScalars(file, after)];
  if (from === undefined || to === undefined) return [whole];
  return changesOf(from, to).map((change) => ({ file, ...change }));
}

/** A version's title: what it changes of its parent's files, on one line. */
export function titleOf(files: readonly OutcomeFile[]): string {
  const parts = differenceOf(files).map((change) =>
    change.path === "" ? `${change.file}: ${wordOf(change.file, files)}` : describe(change),
  );
  if (parts.length === 0) return `${files.map((f) => f.path).join(", ")}: comments`;
  const left = parts.length - titledAtMost;
  return [...parts.slice(0, titledAtMost), ...(left > 0 ? [`${left} more`] : [])].join(", ");
}

function wordOf(path: string, files: readonly OutcomeFile[]): string {
  const file = files.find((f) => f.path === path);
  if (file === undefined || file.before === null) return "added";
  return file.after === null ? "removed" : linesText(file.before, file.after);
}

/** How many lines of a text change, and in which functions. */
function linesText(before: string, after: string): string {
  const [from, to] = [linesOf(before), linesOf(after)];
  const { removed, added } = lineDiff(from, to);
  const around = [...new Set([...definitionsAround(to, added), ...definitionsAround(from, removed)])];
  const left = around.length - namedAtMost;
  const names = [...around.slice(0, namedAtMost), ...(left > 0 ? [`${left} more`] : [])].join(", ");
  return `+${added.length} -${removed.length} lines${names === "" ? "" : ` (${names})`}`;
}

function describe({ path, from, to }: Difference): string {
  if (from === undefined) return `${path}: added as ${shortValue(to)}`;
  return to === undefined
    ? `${path}: ${shortValue(from)} removed`
    : `${path}: ${shortValue(from)} → ${shortValue(to)}`;
}

/** A value on one line, cut where nobody would read on. */
export function shortValue(value: Scalar | undefined): string {
  const text = String(value).replaceAll(/\s+/g, " ");
  return text.length <= longestValue ? text : `${text.slice(0, longestValue - 1)}…`;
}
