import type { HumanNote } from "../../../shared/protocol/views/rollout.ts";
import { element } from "../shared/dom.ts";
import { createButton } from "../shared/button.ts";
import { dateTimeText } from "../shared/numbers.ts";
import { visibleLine, visibleText } from "../shared/visibleText.ts";

export type Notes = { readonly node: HTMLElement; readonly update: (notes: readonly HumanNote[]) => void };

/** What people wrote about the rollout, and a place to write more; what is being written stays while the rest is drawn again. */
export function createNotes(add: (note: string) => void): Notes {
  const node = element("section", "notes");
  const heading = element("h2", "", "Notes");
  const list = element("ul");
  const label = element("label", "", "Add a note");
  const input = element("textarea");
  input.rows = 2;
  input.maxLength = 10_000;
  label.append(input);
  const send = (): void => {
    const note = input.value.trim();
    if (note === "") return;
    add(note);
  };
  input.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    send();
  });
  node.append(heading, list, label, createButton("Add Note", send, "secondary"));
  let shown: readonly HumanNote[] = [];
  return {
    node,
    update: (notes) => {
      if (notes === shown) return;
      // Written down: the place is free for the next one.
      if (notes.length === shown.length + 1 && notes.at(-1)?.note === input.value.trim()) input.value = "";
      shown = notes;
      list.replaceChildren(
        ...notes.map(({ note, by, at }) => {
          const entry = element("li");
          entry.append(
            element("span", "quiet", `${visibleLine(by)}, ${dateTimeText(at)}`),
            element("p", "", visibleText(note)),
          );
          return entry;
        }),
      );
    },
  };
}
