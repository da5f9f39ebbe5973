import { answerTitles } from "../../../shared/words/decisions.ts";
import type { GateState, GateUiState } from "../../../shared/protocol/views/gate.ts";
import { element } from "../shared/dom.ts";
import { createButton } from "../shared/button.ts";
import type { CardHandlers } from "./cardHandlers.ts";

type OpenState = Extract<GateState, { type: "proposal" }>;

/** The three answers; revise and reject ask for a text first. Nothing where it was answered. */
export function answersOf(state: OpenState, ui: GateUiState, on: CardHandlers): HTMLElement[] {
  const { proposal, left } = state;
  const isOpen = proposal.state === "waiting" || (proposal.state === "revising" && proposal.reason === null);
  if (!isOpen) return [];
  const bar = element("section", "answers");
  bar.setAttribute("aria-label", "Answer");
  if (state.isBusy) {
    bar.append(element("p", "quiet", "Answering…"));
    return [bar];
  }
  if (ui.form === "none") {
    const tools = element("div", "tools");
    const part = left.length === 0 ? answerTitles.approve : `${answerTitles.approve} Taken Hunks`;
    tools.append(
      named(
        "approve",
        createButton(part, () => on.post({ type: "approve" }), "primary"),
      ),
      named(
        "revise",
        createButton(`${answerTitles.revise}…`, () => on.show({ form: "revise" }), "secondary"),
      ),
      named(
        "reject",
        createButton(`${answerTitles.reject}…`, () => on.show({ form: "reject" }), "secondary"),
      ),
    );
    bar.append(tools);
  } else bar.append(formOf(ui.form, ui, on));
  return [bar];
}

function named(id: string, button: HTMLElement): HTMLElement {
  button.id = id;
  return button;
}

function formOf(form: "revise" | "reject", ui: GateUiState, on: CardHandlers): HTMLElement {
  const made = element("form");
  const isRevision = form === "revise";
  const label = element(
    "label",
    "",
    isRevision
      ? "What should be different? The next proposer sees it."
      : "Why? The reason stays in the lineage.",
  );
  label.htmlFor = "draft";
  const text = element("textarea");
  text.id = "draft";
  text.rows = 4;
  text.value = ui.draft;
  text.required = isRevision;
  text.addEventListener("input", () => {
    on.write(text.value);
    text.setCustomValidity("");
  });
  made.append(label, text);
  if (isRevision) made.append(workTreeBox(ui, on));
  const send = (): void => {
    const draft = text.value.trim();
    if (isRevision && draft === "") {
      text.setCustomValidity("Say what should be different.");
      text.reportValidity();
      text.focus();
      return;
    }
    if (isRevision) on.post({ type: "revise", comment: draft, withWorkTree: ui.withWorkTree });
    else on.post({ type: "reject", reason: draft });
  };
  const tools = element("div", "tools");
  tools.append(
    named("send", createButton(answerTitles[form], send, "primary")),
    named(
      "back",
      createButton("Back", () => on.show({ form: "none" }), "secondary"),
    ),
  );
  made.append(tools);
  made.addEventListener("submit", (event) => {
    event.preventDefault();
    send();
  });
  made.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      event.stopPropagation();
      on.show({ form: "none" });
      document.getElementById(form)?.focus();
    } else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) send();
  });
  // The form has just been asked for: that is where the person goes on.
  queueMicrotask(() => {
    if (document.activeElement === document.body || document.activeElement === null) text.focus();
  });
  return made;
}

function workTreeBox(ui: GateUiState, on: CardHandlers): HTMLElement {
  const label = element("label", "box");
  const box = element("input");
  box.type = "checkbox";
  box.id = "with-work-tree";
  box.checked = ui.withWorkTree;
  box.addEventListener("change", () => on.show({ withWorkTree: box.checked }));
  label.append(box, " Put the files as they are in the editor in place of what was proposed");
  return label;
}
