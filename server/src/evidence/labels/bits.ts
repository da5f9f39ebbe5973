/** How many bits a word holds: those of a BIGINT but for its sign. */
const wordBits = 63;

export const wordOf = (place: number): number => Math.floor(place / wordBits);
export const bitOf = (place: number): bigint => 1n << BigInt(place % wordBits);

/** The words that so many bits take. */
export const wordsFor = (bits: number): readonly number[] =>
  Array.from({ length: Math.ceil(bits / wordBits) }, (_, word) => word);

/** SQL that is true where one of the bits of some places is set, in words whose columns begin with `prefix`. */
export function anyOf(prefix: string, places: readonly number[]): string {
  const masks = new Map<number, bigint>();
  for (const place of places) masks.set(wordOf(place), (masks.get(wordOf(place)) ?? 0n) | bitOf(place));
  const tests = [...masks].map(([word, mask]) => `(${prefix}${word} & ${mask}) <> 0`);
  return tests.length === 0 ? "FALSE" : `(${tests.join(" OR ")})`;
}

/** SQL of the words in which the bit of a place is set where its condition holds; one that is FALSE is not asked. */
export const packed = (conditions: readonly string[]): readonly string[] =>
  wordsFor(conditions.length).map((word) => {
    const bits = conditions.flatMap((sql, place) =>
      wordOf(place) === word && sql !== "FALSE"
        ? [`(CASE WHEN ${sql} THEN ${bitOf(place)}::BIGINT ELSE 0 END)`]
        : [],
    );
    return bits.length === 0 ? "0::BIGINT" : `(${bits.join(" | ")})`;
  });
