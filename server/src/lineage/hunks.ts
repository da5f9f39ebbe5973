import { createHash } from "node:crypto";
import { HarnessError } from "../base/errors.ts";
import { readObjects } from "./objects.ts";
import type { Repository } from "./repository.ts";

/** Lines of one file that a proposal replaces: from `baseStart` (counted from 0) `removed` lines by `added`. */
export interface Hunk {
  /** The same for the same change of the same lines of the same file, whatever else changes. */
  readonly id: string;
  readonly baseStart: number;
  /** Where the added lines begin in the proposed text, counted from 0. */
  readonly proposedStart: number;
  /** Lines with their line ends. */
  readonly removed: readonly string[];
  readonly added: readonly string[];
}

/** A file that differs between two commits. */
export interface FileChange {
  readonly path: string;
  /** The text on either side; null where there is no such file. */
  readonly base: string | null;
  readonly proposed: string | null;
  readonly hunks: readonly Hunk[];
}

/** Longer texts are not compared line by line. */
const textLimitBytes = 4 * 1024 * 1024;

/**
 * What `proposed` changes of the project's files as `base` has them, hunk by hunk, in git's order.
 * @throws HarnessError badInput for a change that has no lines: of a link, of a mode, of a file that is no text
 */
export async function readChanges(
  repository: Repository,
  base: string,
  proposed: string,
): Promise<FileChange[]> {
  const pairs = await changedBlobs(repository, base, proposed);
  const texts = new Map<string, string>();
  const oids = [...new Set(pairs.flatMap((p) => [p.before, p.after]))].filter((o) => !/^0+$/.test(o));
  await readObjects(repository.git, oids, textLimitBytes, (object, index) => {
    const text = object.type === "found" ? textOf(object.content) : undefined;
    if (text !== undefined) texts.set(oids[index] ?? "", text);
  });
  const changes: FileChange[] = [];
  for (const { path, before, after } of pairs) {
    const [from, to] = [before, after].map((oid) => (/^0+$/.test(oid) ? null : texts.get(oid)));
    if (from === undefined || to === undefined)
      throw new HarnessError(
        "badInput",
        `${path} is not a text of less than 4 MB, so its change cannot be reviewed line by line.`,
      );
    const ranges =
      from === null || to === null
        ? [{ baseStart: 0, removed: linesOf(from).length, proposedStart: 0, added: linesOf(to).length }]
        : await changedRanges(repository, before, after);
    changes.push({ path, base: from, proposed: to, hunks: ranges.map((r) => hunkOf(path, from, to, r)) });
  }
  return changes;
}

/** The text of a file when only these hunks of its change are taken; null when it is not there then. */
export function withHunks(change: FileChange, taken: ReadonlySet<string>): string | null {
  const chosen = change.hunks.filter((hunk) => taken.has(hunk.id));
  if (chosen.length === 0) return change.base;
  if (chosen.length === change.hunks.length) return change.proposed;
  const lines = linesOf(change.base);
  const made: string[] = [];
  let at = 0;
  for (const { baseStart, removed, added } of chosen) {
    made.push(...lines.slice(at, baseStart), ...added);
    at = baseStart + removed.length;
  }
  return [...made, ...lines.slice(at)].join("");
}

interface Range {
  readonly baseStart: number;
  readonly removed: number;
  readonly proposedStart: number;
  readonly added: number;
}

function hunkOf(path: string, base: string | null, proposed: string | null, range: Range): Hunk {
  const removed = linesOf(base).slice(range.baseStart, range.baseStart + range.removed);
  const added = linesOf(proposed).slice(range.proposedStart, range.proposedStart + range.added);
  const what = JSON.stringify([path, range.baseStart, removed, added]);
  return {
    id: createHash("sha256").update(what).digest("hex").slice(0, 10),
    baseStart: range.baseStart,
    proposedStart: range.proposedStart,
    removed,
    added,
  };
}

/** The lines of a text, each with its line end. */
export function linesOf(text: string | null): string[] {
  return text === null || text === "" ? [] : (text.match(/[^\n]*\n|[^\n]+$/g) ?? []);
}

/** Undefined for bytes that are no UTF-8, or hold a zero, as git tells binary files. */
function textOf(bytes: Buffer): string | undefined {
  if (bytes.includes(0)) return undefined;
  const text = bytes.toString("utf8");
  return Buffer.from(text, "utf8").equals(bytes) ? text : undefined;
}

async function changedBlobs(
  repository: Repository,
  base: string,
  proposed: string,
): Promise<{ path: string; before: string; after: string }[]> {
  const listed = await repository.git.text([
    "diff-tree",
    "-r",
    "-z",
    "--raw",
    "--no-renames",
    base,
    proposed,
  ]);
  const parts = listed.split("\0").filter((part) => part !== "");
  const found: { path: string; before: string; after: string }[] = [];
  for (let i = 0; i + 1 < parts.length; i += 2) {
    const [modeBefore = "", modeAfter = "", before = "", after = ""] = (parts[i] ?? "").slice(1).split(" ");
    const path = parts[i + 1] ?? "";
    if (!path.startsWith(repository.prefix))
      throw new HarnessError(
        "badInput",
        `${path} lies outside the project, so it cannot be part of a version.`,
      );
    const own = path.slice(repository.prefix.length);
    const modes = [modeBefore, modeAfter].filter((mode) => mode !== "000000");
    if (modes.some((mode) => !mode.startsWith("100")) || new Set(modes).size > 1)
      throw new HarnessError(
        "badInput",
        `In ${own} a link or the file mode changes, so there are no lines to review.`,
      );
    found.push({ path: own, before, after });
  }
  return found;
}

/** Where two texts differ by git's own diff; only the headers of its hunks are read, lines come from the texts. */
async function changedRanges(repository: Repository, before: string, after: string): Promise<Range[]> {
  const patch = await repository.git.text([
    "diff",
    "--no-color",
    "--no-ext-diff",
    "--no-textconv",
    "--text",
    "--unified=0",
    "--inter-hunk-context=0",
    "--diff-algorithm=histogram",
    "--no-indent-heuristic",
    before,
    after,
  ]);
  const ranges: Range[] = [];
  for (const [, start = "0", removed = "1", to = "0", added = "1"] of patch.matchAll(
    /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/gm,
  ))
    ranges.push({
      // A hunk that removes nothing names the line that it comes after.
      baseStart: Number(start) - (removed === "0" ? 0 : 1),
      removed: Number(removed),
      proposedStart: Number(to) - (added === "0" ? 0 : 1),
      added: Number(added),
    });
  return ranges;
}
