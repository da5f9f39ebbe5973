import type { ShownRollout, ShownTurn } from "../../../shared/protocol/views/rollout.ts";
import { element } from "../shared/dom.ts";
import { countedText, countText } from "../shared/numbers.ts";
import { visibleLine } from "../shared/visibleText.ts";
import { textBlock } from "./turn.ts";

/** Fields of extra in which trainers keep the prompt itself. */
const recorded = ["system_prompt", "prompt"] as const;

/** What the policy saw before a turn, as the evidence has it: the recorded prompt if there is one, and every turn before, whole and in order. */
export function promptElement(
  { turns, extra }: Pick<ShownRollout["rollout"], "turns" | "extra">,
  index: number,
  on: { readonly back: () => void; readonly copy: (text: string) => void },
): HTMLElement {
  const before = turns.slice(0, index);
  const kept = recorded.flatMap((name) => {
    const value = extra[name];
    if (value === undefined || value === null || value === "") return [];
    return [[`extra.${name}`, typeof value === "string" ? value : JSON.stringify(value, null, 2)] as const];
  });
  const section = element("section", "prompt");
  const heading = element("h2", "", `Prompt of turn ${index + 1}`);
  const back = button("Back to the turns", on.back);
  const copy = button("Copy prompt", () =>
    on.copy([...kept.map(([name, text]) => `── ${name}\n${text}`), ...before.map(plain)].join("\n\n")),
  );
  const tools = element("p", "prompt-tools");
  tools.append(back, copy);
  const size = before.reduce((sum, { text }) => sum + text.length, 0);
  const note = element(
    "p",
    "quiet",
    `${countedText(before.length, "turn")}, ${countText(size)} characters, as the evidence has them. Tool definitions and the chat template are not part of it unless the trainer recorded them.`,
  );
  section.append(heading, tools, note);
  for (const [name, text] of kept) section.append(element("h3", "", name), textBlock("pre", text));
  for (const turn of before) section.append(element("h3", "", head(turn)), textBlock("pre", body(turn)));
  return section;
}

const head = ({ role, tool }: ShownTurn): string =>
  visibleLine(tool === undefined ? role : `${role} · ${tool}`);
const body = ({ args, text }: ShownTurn): string =>
  args === undefined ? text : [JSON.stringify(args, null, 2), text].filter((part) => part !== "").join("\n");
const plain = (turn: ShownTurn): string =>
  `── ${turn.tool === undefined ? turn.role : `${turn.role} · ${turn.tool}`}\n${body(turn)}`;

function button(text: string, act: () => void): HTMLElement {
  const made = element("button", "link", text);
  made.type = "button";
  made.addEventListener("click", act);
  return made;
}
