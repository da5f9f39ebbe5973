/** The first sentence of a text: the most important one. */
export const firstSentence = (text: string): string => text.split(/(?<=[.!?])\s+(?=\p{Lu})/u)[0] ?? "";
