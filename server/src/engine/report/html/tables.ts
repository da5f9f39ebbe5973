import { html, nothing, type Markup } from "./markup.ts";

export type Cell = string | Markup;

export interface Column {
  readonly title: string;
  readonly kind?: "number" | "name";
}

/** A table that scrolls in its place where the page is narrow; nothing where it has no row. */
export function tableOf(
  caption: string,
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
): Markup {
  if (rows.length === 0) return nothing;
  return html`<div class="wide" tabindex="0" role="region" aria-label="${caption}">
    <table>
      <thead>
        <tr>
          ${columns.map(({ title, kind = "" }) => html`<th scope="col" class="${kind}">${title}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (cells) =>
            html`<tr>
              ${cells.map((cell, i) => html`<td class="${columns[i]?.kind ?? ""}">${cell}</td>`)}
            </tr> `,
        )}
      </tbody>
    </table>
  </div>`;
}

/** A part of the page with its heading; nothing where there is nothing to say. */
export function section(id: string, title: string, content: readonly Markup[]): Markup {
  if (content.every((part) => part === nothing)) return nothing;
  return html`<section aria-labelledby="${id}">
    <h2 id="${id}">${title}</h2>
    ${content}
  </section> `;
}

export const paragraph = (text: string | Markup): Markup => html`<p>${text}</p>`;

export const list = (items: readonly string[]): Markup =>
  items.length === 0
    ? nothing
    : html`<ul>
        ${items.map((item) => html`<li>${item}</li>`)}
      </ul>`;
