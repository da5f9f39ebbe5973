import { replaceUnseen } from "../../../shared/words/unseen.ts";

/** Controls that would move the cursor, ring, or end a string somewhere else; line feed and tab stay as they are. */
const controls = /[\u0000-\u0008\u000b-\u001f\u007f]/g;
/** Most text has nothing but this, and is as it has to be seen. */
const plain = /^[\n\t\x20-\x7e]*$/;

/** Text as a reader has to see it: what has no look of its own, or changes that of its neighbours, becomes visible. */
export function visibleText(text: string): string {
  if (plain.test(text)) return text;
  const signed = text
    .replaceAll("\r\n", "\n")
    .replace(controls, (c) => String.fromCodePoint(c === "\u007f" ? 0x2421 : 0x2400 + c.charCodeAt(0)));
  return replaceUnseen(signed, (c) =>
    c === "\n" || c === "\t"
      ? c
      : `⟨U+${(c.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟩`,
  );
}

/** The same on one line, for a list. */
export const visibleLine = (text: string): string => visibleText(text).replace(/\s+/g, " ");
