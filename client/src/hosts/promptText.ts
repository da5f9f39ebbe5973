/**
 * The editor makes links, also to commands, of what looks like Markdown in its boxes and notifications. A server may have
 * written these texts, so nothing may look like that.
 */
const withoutLinks = (text: string): string =>
  text
    .replaceAll("](", "] (")
    .replace(/\$\(/g, "$ (")
    .replace(/\b(command|https?|file):/gi, "$1 :");

/** For one line. */
export const inputText = (text: string): string =>
  withoutLinks(text.replace(/\s+/g, " ").trim()).slice(0, 500);

/** For a dialog: lines stay. */
export function dialogText(
  message: string,
  text: string,
): { readonly message: string; readonly detail: string } {
  return { message, detail: withoutLinks(text).split("\n").slice(0, 20).join("\n").slice(0, 2000) };
}
