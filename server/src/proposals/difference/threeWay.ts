import { isDeepStrictEqual } from "node:util";
import { HarnessError } from "../../base/errors.ts";
import { editConfig } from "../../project/configs/configText.ts";
import { linesOf } from "../../base/lineDiff.ts";
import type { FileChange, Hunk } from "../../lineage/hunks.ts";
import { differenceOf, type Difference, type OutcomeFile } from "./difference.ts";

export type ThreeWay =
  | {
      readonly type: "merged";
      /** What theirs adds to ours; empty where ours has all of it. */
      readonly files: readonly OutcomeFile[];
    }
  | {
      readonly type: "conflict";
      /** The values, or the files, that both change otherwise. */
      readonly places: readonly string[];
    };

/**
 * Applies what `theirs` changes of a common ancestor to what `ours` made of it: value by value where a file has values, and
 * by its lines otherwise. What both change in the same way is changed once; what they change otherwise is a conflict.
 */
export function mergeThreeWay(ours: readonly FileChange[], theirs: readonly FileChange[]): ThreeWay {
  const own = new Map(ours.map((change) => [change.path, change]));
  const files: OutcomeFile[] = [];
  const places: string[] = [];
  for (const change of theirs) {
    const before = own.get(change.path);
    const made =
      before === undefined
        ? { text: change.proposed, places: [] }
        : before.proposed === change.proposed
          ? { text: before.proposed, places: [] }
          : mergeFile(before, change);
    places.push(...made.places);
    const ourText = before === undefined ? change.base : before.proposed;
    if (made.text !== ourText) files.push({ path: change.path, before: ourText, after: made.text });
  }
  return places.length > 0 ? { type: "conflict", places } : { type: "merged", files };
}

interface MergedText {
  readonly text: string | null;
  readonly places: readonly string[];
}

function mergeFile(ours: FileChange, theirs: FileChange): MergedText {
  const { path, base, proposed } = ours;
  if (base === null || proposed === null || theirs.proposed === null)
    return { text: proposed, places: [path] };
  const [own, other] = [valuesOf(ours), valuesOf(theirs)];
  const lines = mergeLines(base, ours.hunks, theirs.hunks);
  if (own === undefined || other === undefined)
    return lines === null ? { text: proposed, places: [path] } : { text: lines, places: [] };
  const clashing = other.filter((change) => own.some((o) => isClash(o, change)));
  if (clashing.length > 0) return { text: proposed, places: clashing.map((c) => `${c.path} in ${path}`) };
  const wanted = other.filter((change) => !own.some((o) => isSame(o, change)));
  // Lines keep the comments of both; neighbours touch by their lines, though not by their values.
  if (lines !== null && isDeepStrictEqual(sorted(valuesBetween(path, proposed, lines)), sorted(wanted)))
    return { text: lines, places: [] };
  const byValue = edited(path, proposed, wanted);
  return byValue === null ? { text: proposed, places: [path] } : { text: byValue, places: [] };
}

/** What a change makes of the values of a file; undefined where it has none. */
const valuesOf = ({ path, base, proposed }: FileChange): readonly Difference[] | undefined =>
  valuesBetween(path, base ?? "", proposed ?? "");

function valuesBetween(path: string, before: string, after: string): readonly Difference[] | undefined {
  const found = differenceOf([{ path, before, after }]);
  return found.some((change) => change.path === "") ? undefined : found;
}

const sorted = (changes: readonly Difference[] | undefined): readonly Difference[] | undefined =>
  changes?.toSorted((a, b) => (a.path < b.path ? -1 : 1));

const isSame = (a: Difference, b: Difference): boolean => a.path === b.path && Object.is(a.to, b.to);
const isWithin = (path: string, area: string): boolean => path === area || path.startsWith(`${area}.`);
const isClash = (a: Difference, b: Difference): boolean =>
  !isSame(a, b) && (isWithin(a.path, b.path) || isWithin(b.path, a.path));

/** The text with single values set; null where one of them cannot be set in place. */
function edited(file: string, text: string, changes: readonly Difference[]): string | null {
  try {
    let made = text;
    for (const { path, from, to } of changes) {
      if (from === undefined || to === undefined) return null;
      made = editConfig(file, made, { path, from, to });
    }
    return made;
  } catch (e) {
    if (HarnessError.is(e)) return null;
    throw e;
  }
}

/** Both changes of a text's lines; null where they touch one another, as git sees it. */
function mergeLines(base: string, ours: readonly Hunk[], theirs: readonly Hunk[]): string | null {
  const isEqual = (a: Hunk, b: Hunk): boolean =>
    a.baseStart === b.baseStart &&
    isDeepStrictEqual(a.removed, b.removed) &&
    isDeepStrictEqual(a.added, b.added);
  const fresh = theirs.filter((hunk) => !ours.some((own) => isEqual(own, hunk)));
  const touches = (a: Hunk, b: Hunk): boolean =>
    a.baseStart <= b.baseStart + b.removed.length && b.baseStart <= a.baseStart + a.removed.length;
  if (fresh.some((hunk) => ours.some((own) => touches(own, hunk)))) return null;
  const lines = linesOf(base);
  const made: string[] = [];
  let at = 0;
  for (const { baseStart, removed, added } of [...ours, ...fresh].sort((a, b) => a.baseStart - b.baseStart)) {
    made.push(...lines.slice(at, baseStart), ...added);
    at = baseStart + removed.length;
  }
  return [...made, ...lines.slice(at)].join("");
}
