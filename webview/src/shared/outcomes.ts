import { decisionLooks, outcomeLooks, type Outcome } from "../../../shared/words/decisions.ts";
import { element } from "./dom.ts";

/** An outcome in words, with a sign that tells it apart without colour; only the sign has one, so that the words keep their contrast. */
export function outcomeElement<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  outcome: Outcome,
): HTMLElementTagNameMap[K] {
  const { mark, word } = outcomeLooks[outcome];
  const made = element(tag, `outcome ${outcome}`);
  made.append(signElement(mark), ` ${word}`);
  return made;
}

/** The outcome of a rollout that does not count: the sign of what is not to be trusted takes the place of the tick. */
export function spoiledOutcome<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  outcome: Outcome,
  labels: readonly string[],
): HTMLElementTagNameMap[K] {
  const made = element(tag, "outcome spoiled");
  made.append(signElement(decisionLooks.invalid.mark), " not valid");
  made.title = `It ${outcomeLooks[outcome].word}, and does not count because of ${labels.join(", ")}.`;
  return made;
}

/** A sign beside words that say the same. */
export function signElement(sign: string, className = "sign"): HTMLElement {
  const made = element("span", className, sign);
  made.setAttribute("aria-hidden", "true");
  return made;
}
