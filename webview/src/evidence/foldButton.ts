import { element } from "../shared/dom.ts";
import { signElement } from "../shared/outcomes.ts";

export type FoldButton = {
  readonly node: HTMLElement;
  /** What is set inside of it, so that nobody misses it while it is folded. */
  readonly say: (set: string) => void;
};

/**
 * Folds what it stands for away, where evidence.css says that the window has no room for it; in a larger window that is always
 * shown and this is not.
 */
export function foldButton(name: string, folded: HTMLElement): FoldButton {
  const node = element("button", `link fold of-${folded.id}`);
  node.type = "button";
  node.setAttribute("aria-controls", folded.id);
  const set = element("span", "quiet");
  const draw = (isOpen: boolean): void => {
    folded.classList.toggle("unfolded", isOpen);
    node.setAttribute("aria-expanded", String(isOpen));
    node.replaceChildren(signElement(isOpen ? "▾" : "▸"), ` ${name} `, set);
  };
  node.addEventListener("click", () => draw(!folded.classList.contains("unfolded")));
  draw(false);
  return {
    node,
    say: (text) => {
      set.textContent = text;
    },
  };
}
