/** Controls and marks that reorder or hide what stands around them; line feeds stay. */
const unseen =
  /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/**
 * A text as Markdown that shows exactly it: no link, no markup, no hidden character. Unlike the editor's own way it leaves
 * spaces as they are, so that long lines are wrapped.
 */
export function plainMarkdown(text: string): string {
  return text
    .replace(unseen, (c) => (c === "\t" ? " " : "�"))
    .replace(/[!-/:-@[-`{-~]/g, "\\$&")
    .replace(/\n/g, "  \n");
}
