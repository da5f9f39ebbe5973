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
