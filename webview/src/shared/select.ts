import { element } from "./dom.ts";

/** A choice in a list, with its words before it. */
export type Choice = { readonly label: HTMLElement; readonly select: HTMLSelectElement };

export function choice(text: string, className: string, change: (value: string) => void): Choice {
  const label = element("label", className, `${text} `);
  const select = element("select");
  select.addEventListener("change", () => change(select.value));
  label.append(select);
  return { label, select };
}

export function option(value: string, text: string): HTMLOptionElement {
  const made = element("option", "", text);
  made.value = value;
  return made;
}
