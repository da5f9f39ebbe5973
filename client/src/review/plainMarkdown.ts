import { codeText, replaceUnseen } from "../../../shared/words/unseen.ts";

/**
 * A text as Markdown that shows exactly it: no link, no markup, no hidden character. Unlike the editor's own way it leaves
 * spaces as they are, so that long lines are wrapped.
 */
export function plainMarkdown(text: string): string {
  return replaceUnseen(text, (c) => (c === "\n" ? c : c === "\t" ? " " : codeText(c)))
    .replace(/[!-/:-@[-`{-~]/g, "\\$&")
    .replace(/\n/g, "  \n");
}

/** The same, but a name between backticks is code, in which nothing is markup either. */
export function plainMarkdownWithNames(text: string): string {
  const parts = text.split("`");
  return parts
    .map((part, i) => {
      if (i % 2 === 0) return plainMarkdown(part);
      // The last one has no end, and code with a line break or with nothing in it is none.
      if (i === parts.length - 1 || part.trim() === "" || part.includes("\n"))
        return plainMarkdown(i === parts.length - 1 ? `\`${part}` : `\`${part}\``);
      return `\`${replaceUnseen(part, (c) => codeText(c))}\``;
    })
    .join("");
}
