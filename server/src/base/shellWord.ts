/** One word of a POSIX shell that stands for exactly this text. The text must not hold NUL. */
export function shellWord(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
