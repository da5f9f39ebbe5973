/**
 * Characters that have no look of their own, or that change how others look: controls (an escape sequence begins with
 * one), marks that reorder text, marks without width, tags, line and paragraph separators, and halves of characters.
 * What Arabic writes before numbers has a look, and so has a sign that is shown as an emoji.
 */
const unseen =
  /(?![\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}])(?!(?<=\p{Extended_Pictographic})\ufe0f)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** The text with each such character replaced by what `show` makes of it. */
export const replaceUnseen = (text: string, show: (character: string) => string): string =>
  text.replace(unseen, show);

/** Text in a line: a line feed and a tab are written as \n and \t, so that nobody else's text can begin a line. */
export const inLine = (text: string): string => replaceUnseen(text, codeText);

/** Text in a block of lines: lines and tabs stay, with one kind of line end. */
export const inBlock = (text: string): string =>
  replaceUnseen(text.replaceAll("\r\n", "\n"), (c) => (c === "\n" || c === "\t" ? c : codeText(c)));

const short: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** The code of a character: \n, \x1b, \u202e, \u{e0041}. */
export function codeText(character: string): string {
  const known = short[character];
  if (known !== undefined) return known;
  const code = character.codePointAt(0) ?? 0;
  const digits = code.toString(16);
  if (code < 0x100) return `\\x${digits.padStart(2, "0")}`;
  return code < 0x10000 ? `\\u${digits.padStart(4, "0")}` : `\\u{${digits}}`;
}
