/** The first sentence of a text, which says what matters most, and the rest of it. */
export function firstSentence(text: string): readonly [first: string, rest: string] {
  const end = /[.!?]\s+(?=\p{Lu})/u.exec(text);
  return end === null ? [text, ""] : [text.slice(0, end.index + 1), text.slice(end.index + 1).trimStart()];
}
