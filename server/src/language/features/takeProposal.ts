import type { ProposalFile, ProposalHunk } from "../../../../shared/protocol/views/proposals.ts";
import type { Span } from "../syntax/parseSpec.ts";

/** One hunk of a proposal where it stands in a text that may have changed since. */
export type PlacedHunk = { readonly id: string; readonly span: Span; readonly text: string };

/**
 * Where the hunks of a file's change go in the text that is open: at their lines, or where the lines that they replace
 * are found once. A hunk that the text has already, or has no place for, is left out.
 */
export function placeHunks(text: string, file: ProposalFile): PlacedHunk[] {
  const lines = linesOf(text);
  const base = linesOf(file.base ?? "");
  const starts = startsOf(lines);
  const placed: PlacedHunk[] = [];
  let from = 0;
  for (const hunk of file.hunks) {
    const at = lineFor(hunk, { lines, base, from });
    if (at === undefined) continue;
    const [start, end] = [starts[at], starts[at + hunk.removed.length]];
    if (start === undefined || end === undefined) continue;
    from = at + hunk.removed.length;
    placed.push({ id: hunk.id, span: { start, end }, text: hunk.added.join("") });
  }
  return placed;
}

function lineFor(
  { baseStart, removed }: ProposalHunk,
  {
    lines,
    base,
    from,
  }: { readonly lines: readonly string[]; readonly base: readonly string[]; readonly from: number },
): number | undefined {
  // The line before and the line behind tell an insertion, and a line that occurs twice, apart.
  const before = base.slice(Math.max(0, baseStart - 1), baseStart);
  const after = base.slice(baseStart + removed.length, baseStart + removed.length + 1);
  const wanted = [...before, ...removed, ...after];
  const fits = (at: number, what: readonly string[]): boolean =>
    at >= from && what.every((line, i) => sameLine(lines[at + i], line));
  if (fits(baseStart - before.length, wanted) && (wanted.length > 0 || lines.length === 0)) return baseStart;
  for (const [what, lead] of [
    [wanted, before.length],
    [removed, 0],
  ] as const) {
    if (what.length === 0) continue;
    const found = lines.flatMap((_, at) => (fits(at, what) ? [at] : []));
    if (found.length === 1 && found[0] !== undefined) return found[0] + lead;
  }
  return undefined;
}

/** Line ends are the editor's to choose. */
const sameLine = (a: string | undefined, b: string): boolean =>
  a !== undefined && a.replace(/\r?\n$/, "") === b.replace(/\r?\n$/, "");

const linesOf = (text: string): string[] => (text === "" ? [] : (text.match(/[^\n]*\n|[^\n]+$/g) ?? []));

function startsOf(lines: readonly string[]): number[] {
  const starts = [0];
  for (const line of lines) starts.push((starts.at(-1) ?? 0) + line.length);
  return starts;
}
