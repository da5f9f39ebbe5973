import { codeText, replaceUnseen } from "../../../shared/words/unseen.ts";

const allSeen = (text: string): string =>
  replaceUnseen(text, (c) => (c === "\n" ? c : c === "\t" ? " " : codeText(c)));

/**
 * A text as Markdown that shows exactly it: no link, no markup, no hidden character. Unlike the editor's own way it leaves
 * spaces as they are, so that long lines are wrapped.
 */
export function plainMarkdown(text: string): string {
  return allSeen(text)
    .replace(/[!-/:-@[-`{-~]/g, "\\$&")
    .replace(/\n/g, "  \n");
}

/** The same, but a name between backticks is code, in which nothing is markup either. */
export function plainMarkdownWithNames(text: string): string {
  return text
    .split(/(`[^`\n]+`)/)
    .map((part, i) => (i % 2 === 0 || /^`\s+`$/.test(part) ? plainMarkdown(part) : allSeen(part)))
    .join("");
}
