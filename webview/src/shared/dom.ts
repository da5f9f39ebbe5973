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

/** A sentence in which names stand between backticks: each becomes code. What stands between them is never parsed as markup. */
export function withNames<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  text: string,
): HTMLElementTagNameMap[K] {
  const made = element(tag);
  const parts = text.split("`");
  parts.forEach((part, i) => {
    if (i % 2 === 0) made.append(part);
    // The last one has no end.
    else if (i === parts.length - 1) made.append("`", part);
    else made.append(element("code", "", part));
  });
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
