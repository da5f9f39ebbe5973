/** An element with a class and, if given, a text. Text is never parsed as markup. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  className = "",
  text?: string,
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  if (className !== "") made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

const namespace = "http://www.w3.org/2000/svg";

/** An element of a drawing. */
export function svgElement<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Readonly<Record<string, string | number>>,
): SVGElementTagNameMap[K] {
  const made = document.createElementNS(namespace, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  return made;
}

/** A button that looks like a link. */
export function linkButton(text: string, onClick: () => void): HTMLButtonElement {
  const made = element("button", "link", text);
  made.type = "button";
  made.addEventListener("click", onClick);
  return made;
}
