/** Controls that would move the cursor, ring, or end a string somewhere else; line feed and tab stay as they are. */
const controls = /[\u0000-\u0008\u000b-\u001f\u007f]/g;
/** Marks that reorder or hide what stands around them (Unicode TR 36 and 39). */
const hidden = /[\u0080-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** Text as a reader has to see it: what has no look of its own, or changes that of its neighbours, becomes visible. */
export function visibleText(text: string): string {
  return text
    .replaceAll("\r\n", "\n")
    .replace(controls, (c) => String.fromCodePoint(c === "\u007f" ? 0x2421 : 0x2400 + c.charCodeAt(0)))
    .replace(hidden, (c) => `⟨U+${c.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`);
}

/** The same on one line, for a list. */
export const visibleLine = (text: string): string => visibleText(text).replace(/\s+/g, " ");
