import { decisionLooks } from "../../../shared/words/decisions.ts";
import { element } from "./dom.ts";
import { percentText } from "./numbers.ts";
import { signElement } from "./outcomes.ts";
import { visibleText } from "./visibleText.ts";

/** What stands for "not to be trusted" everywhere: the sign, and the words beside it. */
export function warningElement<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  words: string,
): HTMLElementTagNameMap[K] {
  const made = element(tag, "untrusted");
  made.append(signElement(decisionLooks.invalid.mark), ` ${visibleText(words)}`);
  return made;
}

/** A score that does not count, struck through, and what it counts as; the words say it to who hears it. */
export function struckScore(score: number, counts: number | null): HTMLElement {
  const made = element("span", "struck-score");
  const struck = element("s", "", percentText(score));
  struck.setAttribute("aria-label", `${percentText(score)}, not valid`);
  made.append(struck, counts === null ? " not valid" : ` counts as ${percentText(counts)}`);
  return made;
}
