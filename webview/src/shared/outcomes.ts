import { element } from "./dom.ts";

const texts = { pass: ["✓", "passed"], fail: ["✗", "failed"], unknown: ["?", "unknown"] } as const;

/** An outcome in words, with a sign that tells it apart without colour; only the sign has one, so that the words keep their contrast. */
export function outcomeElement<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  outcome: keyof typeof texts,
): HTMLElementTagNameMap[K] {
  const [sign, text] = texts[outcome];
  const made = element(tag, `outcome ${outcome}`);
  made.append(signElement(sign), ` ${text}`);
  return made;
}

/** A sign beside words that say the same. */
export function signElement(sign: string, className = "sign"): HTMLElement {
  const made = element("span", className, sign);
  made.setAttribute("aria-hidden", "true");
  return made;
}
