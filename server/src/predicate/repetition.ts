/**
 * SQL of the share of the n-grams of a list that stood in it before; NULL when it has fewer than n elements. The list is laid
 * n times beside itself, and the rows are told apart by their hashes of 64 bits, which takes a third of the time of comparing
 * them: two of 10,000 n-grams have the same one once in 10^11 lists.
 */
export function repetitionSql(list: string, n: string): string {
  const shifted = Array.from({ length: Number(n) }, (_, i) => (i === 0 ? "w" : `w[${i + 1}:]`));
  const hashes = `list_transform(${list}, lambda e: hash(e))`;
  const grams = `list_transform(list_zip(${shifted.join(", ")}, true), lambda s: hash(s))`;
  return `list_transform(list_transform([${hashes}], lambda w: ${grams}), lambda g: 1 - list_unique(g) / nullif(len(g), 0)::DOUBLE)[1]`;
}

/**
 * SQL of the words of a text, which is what stands between blanks, tabs and line ends. Splitting at a blank takes a third of
 * the time of an expression, also when the line ends are made blanks first; the others are rare.
 */
export function wordsSql(text: string): string {
  const rare = [9, 12, 13].map((code) => `contains(t, chr(${code}))`).join(" OR ");
  const blank = `(CASE WHEN ${rare} THEN translate(t, chr(9) || chr(10) || chr(12) || chr(13), '    ') ELSE replace(t, chr(10), ' ') END)`;
  return `list_transform([${text}], lambda t: list_filter(string_split(${blank}, ' '), lambda p: p <> ''))[1]`;
}

/** The same of a list in memory. */
export function repetitionOf(list: readonly string[], n: number): number | null {
  const total = list.length - n + 1;
  if (total < 1) return null;
  const grams = new Set<string>();
  for (let i = 0; i < total; i++) grams.add(JSON.stringify(list.slice(i, i + n)));
  return 1 - grams.size / total;
}

/**
 * SQL of the share of the pieces of n code points of a text that stood in it before; NULL when it is shorter. A text that says
 * one thing again and again has no more different pieces than that thing has characters, wherever it is cut; a cut at every
 * n-th character makes n times fewer pieces than n-grams of characters are.
 */
export function pieceRepetitionSql(text: string, n: string): string {
  const pieces = `regexp_extract_all(${text}, '(?s).{${n}}')`;
  return `list_transform([${pieces}], lambda g: 1 - list_unique(g) / nullif(len(g), 0)::DOUBLE)[1]`;
}

/** The same of a text in memory. */
export function pieceRepetitionOf(text: string, n: number): number | null {
  const characters = Array.from(text);
  const total = Math.floor(characters.length / n);
  if (total === 0) return null;
  const pieces = new Set<string>();
  for (let i = 0; i < total; i++) pieces.add(characters.slice(i * n, (i + 1) * n).join(""));
  return 1 - pieces.size / total;
}
