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
