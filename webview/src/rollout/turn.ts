import type { ShownTurn } from "../../../shared/protocol/views/rollout.ts";
import { element } from "../shared/dom.ts";
import { countedText, countText, durationText, valueText } from "../shared/numbers.ts";
import { signElement } from "../shared/outcomes.ts";
import { visibleLine, visibleText } from "../shared/visibleText.ts";
import { repeatsArguments } from "./repeatsArguments.ts";

/** Of a longer text only this much is drawn until somebody wants the rest. */
const drawnCharacters = 20_000;
const previewCharacters = 200;
/** Wide enough that short lines count once. */
const charactersPerLine = 400;

export type TurnOptions = {
  readonly index: number;
  readonly folded: boolean;
  /** Labels that this turn shows. */
  readonly labels: readonly string[];
  /** How this turn is marked as one of those to read first, and why; undefined where it is none. */
  readonly readFirst: { readonly mark: string; readonly because: string } | undefined;
  /** What the trainer rewarded this turn with, where the evidence has that. */
  readonly reward: number | undefined;
  readonly toggle: (index: number) => void;
  /** Shows what the policy saw before this turn. */
  readonly prompt: (index: number) => void;
  readonly copy: (text: string) => void;
};

/** One exchange: a line that says what happened, and below it what was said, as text. */
export function turnElement(turn: ShownTurn, options: TurnOptions): HTMLElement {
  const { index, folded, labels, readFirst, reward, toggle, prompt, copy } = options;
  const article = element("article", labels.length > 0 ? "turn evidence" : "turn");
  article.id = `turn-${index}`;
  article.tabIndex = -1;
  article.setAttribute("aria-label", `Turn ${index + 1}, ${headline(turn)}`);
  const head = element("header");
  const fold = element("button", "fold");
  fold.type = "button";
  fold.setAttribute("aria-expanded", String(!folded));
  fold.addEventListener("click", () => toggle(index));
  fold.append(
    element("span", "twisty", folded ? "▸" : "▾"),
    element("span", "number", `${index + 1}`),
    element("span", `role ${turn.role}`, visibleLine(turn.role)),
  );
  if (turn.tool !== undefined) fold.append(element("span", "tool", visibleLine(turn.tool)));
  // That a call succeeded says nothing of what it did: it has a word, and no tick.
  if (turn.ok === true) fold.append(element("span", "ok", "succeeded"));
  if (turn.ok === false) fold.append(signed("not-ok", "✗", "failed"));
  for (const label of labels) fold.append(signed("shows", "◆", label));
  if (readFirst !== undefined) {
    const mark = signed("read-first", "➤", readFirst.mark);
    mark.title = readFirst.because;
    fold.append(mark);
  }
  if (folded) fold.append(element("span", "preview quiet", preview(turn)));
  const facts = [
    reward === undefined ? "" : `reward ${valueText(reward)}`,
    turn.tokens === undefined ? "" : countedText(turn.tokens, "token"),
    turn.ms === undefined ? "" : durationText(turn.ms / 1000),
  ].filter((fact) => fact !== "");
  const copyButton = element("button", "link copy", "Copy");
  copyButton.type = "button";
  copyButton.setAttribute("aria-label", `Copy turn ${index + 1}`);
  copyButton.addEventListener("click", () => copy(plainTurn(turn)));
  head.append(fold, element("span", "quiet facts", facts.join(" · ")));
  if (turn.role === "assistant" && index > 0) head.append(promptButton(index, prompt));
  head.append(copyButton);
  article.append(head);
  if (!folded) {
    article.append(...bodyOf(turn));
    // What is not in view is not laid out; told how high it will be, the browser lays out no more than what is.
    article.style.containIntrinsicSize = `auto ${Math.round(heightOf(turn))}px`;
  }
  return article;
}

/** About how high a turn is drawn, in pixels. */
function heightOf({ text, args }: ShownTurn): number {
  const drawn = text.slice(0, drawnCharacters);
  let lines = drawn.length / charactersPerLine;
  for (let at = drawn.indexOf("\n"); at >= 0; at = drawn.indexOf("\n", at + 1)) lines++;
  return 40 + 18 * (lines + (args === undefined ? 0 : Object.keys(args).length));
}

function promptButton(index: number, prompt: (index: number) => void): HTMLElement {
  const button = element("button", "link copy", "Prompt");
  button.type = "button";
  button.title = "What the policy saw before this turn, as the evidence has it";
  button.setAttribute("aria-label", `Prompt of turn ${index + 1}`);
  button.addEventListener("click", () => prompt(index));
  return button;
}

function signed(className: string, sign: string, text: string): HTMLElement {
  const made = element("span", className);
  made.append(signElement(sign), ` ${text}`);
  return made;
}

function bodyOf(turn: ShownTurn): HTMLElement[] {
  const parts: HTMLElement[] = [];
  const args = Object.entries(turn.args ?? {});
  if (args.length > 0) {
    const list = element("dl", "args");
    for (const [name, value] of args) {
      const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
      list.append(element("dt", "", visibleLine(name)), textBlock("dd", text));
    }
    parts.push(list);
  }
  const isSaid = args.length > 0 && repeatsArguments(turn);
  if ((turn.text !== "" && !isSaid) || args.length === 0) parts.push(textBlock("pre", turn.text));
  return parts;
}

/** A text, cut where it is so long that drawing it would be felt. */
export function textBlock(tag: "pre" | "dd", text: string): HTMLElement {
  const block = element(tag, "text");
  if (text === "") {
    block.classList.add("quiet");
    block.textContent = "(empty)";
    return block;
  }
  block.textContent = visibleText(text.slice(0, drawnCharacters));
  if (text.length > drawnCharacters) {
    const more = element(
      "button",
      "link more",
      `Show ${countText(text.length - drawnCharacters)} more characters`,
    );
    more.type = "button";
    more.addEventListener("click", () => {
      block.textContent = visibleText(text);
    });
    block.append(element("br"), more);
  }
  return block;
}

function headline(turn: ShownTurn): string {
  const tool = turn.tool === undefined ? "" : `, ${turn.tool}`;
  return `${turn.role}${tool}${turn.ok === undefined ? "" : turn.ok ? ", succeeded" : ", failed"}`;
}

function preview(turn: ShownTurn): string {
  const text = turn.text === "" && turn.args ? JSON.stringify(turn.args) : turn.text;
  return visibleLine(text.slice(0, previewCharacters));
}

/** A turn as text: for the clipboard. */
export function plainTurn(turn: ShownTurn): string {
  const args = turn.args === undefined ? "" : `${JSON.stringify(turn.args, null, 2)}\n`;
  return `${headline(turn)}\n${args}${turn.text}\n`;
}
