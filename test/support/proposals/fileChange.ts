import type { FileChange, Hunk } from "../../../server/src/lineage/hunks.ts";
import { linesOf } from "../../../server/src/base/lineDiff.ts";

/** The change of one file, as one hunk around what differs. */
export function change(path: string, base: string | null, proposed: string | null): FileChange {
  const [before, after] = [linesOf(base), linesOf(proposed)];
  let start = 0;
  while (start < Math.min(before.length, after.length) && before[start] === after[start]) start++;
  let end = 0;
  while (
    end < Math.min(before.length, after.length) - start &&
    before[before.length - 1 - end] === after[after.length - 1 - end]
  )
    end++;
  const hunk: Hunk = {
    ...{ id: path, baseStart: start, proposedStart: start },
    removed: before.slice(start, before.length - end),
    added: after.slice(start, after.length - end),
  };
  return { path, base, proposed, hunks: [hunk] };
}
