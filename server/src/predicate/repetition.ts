/**
 * SQL of the share of the n-grams of a list that stood in it before; NULL when it has fewer than n elements. An n-gram is a
 * struct of n elements, from the list laid n times beside itself: no text is put together for it.
 */
export function repetitionSql(list: string, n: string): string {
  const shifted = Array.from({ length: Number(n) }, (_, i) => (i === 0 ? "w" : `w[${i + 1}:]`));
  return `list_transform(list_transform([${list}], lambda w: list_zip(${shifted.join(", ")}, true)), lambda g: 1 - len(list_distinct(g)) / nullif(len(g), 0)::DOUBLE)[1]`;
}

/** The same of a list in memory. */
export function repetitionOf(list: readonly string[], n: number): number | null {
  const total = list.length - n + 1;
  if (total < 1) return null;
  const grams = new Set<string>();
  for (let i = 0; i < total; i++) grams.add(JSON.stringify(list.slice(i, i + n)));
  return 1 - grams.size / total;
}
