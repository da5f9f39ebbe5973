/** Levenshtein distance where two exchanged neighbours count as one edit. */
function distance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  const cell = (i: number, j: number) => rows[i]?.[j] ?? Infinity;
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    rows.push(row);
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let best = Math.min(cell(i - 1, j) + 1, cell(i, j - 1) + 1, cell(i - 1, j - 1) + same);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        best = Math.min(best, cell(i - 2, j - 2) + 1);
      row[j] = best;
    }
  }
  return cell(a.length, b.length);
}

/** Up to three candidates that the word may be a misspelling of, nearest first. */
export function similar(word: string, candidates: Iterable<string>): string[] {
  if (word.length > 64) return [];
  const limit = Math.max(1, Math.floor(word.length / 3));
  const near = [...candidates]
    // The distance is at least the difference of the lengths, which costs nothing to know.
    .filter((candidate) => candidate.length <= 64 && Math.abs(candidate.length - word.length) <= limit)
    .map((candidate) => ({ candidate, edits: distance(word.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ edits }) => edits <= limit)
    .sort((a, b) => a.edits - b.edits || a.candidate.localeCompare(b.candidate));
  const best = near[0]?.edits ?? 0;
  return near
    .filter(({ edits }) => edits <= best + 1)
    .slice(0, 3)
    .map(({ candidate }) => candidate);
}

/** A sentence that names what was probably meant, with a blank before it; empty when nothing known is near. */
export function didYouMean(word: string, candidates: Iterable<string>): string {
  const near = similar(word, candidates);
  return near.length === 0 ? "" : ` Did you mean ${listed(near)}?`;
}

/** `a, b and c`. */
export function listed(words: readonly string[], last = "or"): string {
  return words.length < 2
    ? words.join("")
    : `${words.slice(0, -1).join(", ")} ${last} ${words[words.length - 1] ?? ""}`;
}
