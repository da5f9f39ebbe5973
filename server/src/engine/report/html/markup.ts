import { inBlock } from "../../../base/plainText.ts";

/** Text that is HTML already; everything else is escaped where it is put into a page. */
export class Markup {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Part = Markup | string | number | readonly Part[];

/** A piece of a page. What is put into it is shown as text, unless it is such a piece itself. */
export function html(pieces: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  let text = pieces[0] ?? "";
  for (const [i, part] of parts.entries()) text += asText(part) + (pieces[i + 1] ?? "");
  return new Markup(text);
}

function asText(part: Part): string {
  if (part instanceof Markup) return part.text;
  if (typeof part === "number") return String(part);
  return typeof part === "string" ? escaped(part) : part.map(asText).join("");
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** A text of others for an element or a quoted attribute; what has no look of its own is shown as its code. */
export const escaped = (text: string): string => inBlock(text).replace(/[&<>"']/g, (c) => entities[c] ?? c);

export const nothing = new Markup("");
