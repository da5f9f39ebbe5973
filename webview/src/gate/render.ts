import { proposalLooks } from "../../../shared/words/decisions.ts";
import type { GateState, GateUiState } from "../../../shared/protocol/views/gate.ts";
import type { Proposal } from "../../../shared/protocol/views/proposals.ts";
import { element } from "../shared/dom.ts";
import { visibleLine, visibleText } from "../shared/visibleText.ts";
import { answersOf } from "./answers.ts";
import type { CardHandlers } from "./cardHandlers.ts";
import { factsOf } from "./facts.ts";
import { hunksOf } from "./hunks.ts";

export type Shown = { readonly state: GateState; readonly ui: GateUiState };

/** The card: what is claimed, what speaks for it, the hunks, and the answers. The focus stays where it was. */
export function createCard(app: HTMLElement, on: CardHandlers): (shown: Shown) => void {
  const content = element("div", "card");
  const status = element("p", "notice");
  status.setAttribute("role", "status");
  app.append(content, status);
  return ({ state, ui }) => {
    const focused = document.activeElement?.id;
    const written = focused === "draft" ? selectionOf(document.activeElement) : undefined;
    content.replaceChildren(...contentOf(state, ui, on));
    const notice = state.type === "proposal" ? state.notice : null;
    status.className = `notice ${notice?.kind ?? ""}`;
    const text = notice === null ? "" : visibleText(notice.text);
    if (status.textContent !== text) status.textContent = text;
    // Only where the person is: it would be taken from whatever they write elsewhere in the editor.
    if (focused !== undefined && focused !== "" && document.hasFocus())
      document.getElementById(focused)?.focus();
    const draft = document.getElementById("draft");
    if (written && draft instanceof HTMLTextAreaElement) draft.setSelectionRange(...written);
  };
}

function selectionOf(node: Element | null): [number, number] | undefined {
  return node instanceof HTMLTextAreaElement ? [node.selectionStart, node.selectionEnd] : undefined;
}

function contentOf(state: GateState, ui: GateUiState, on: CardHandlers): HTMLElement[] {
  switch (state.type) {
    case "loading":
      return [element("p", "quiet message", "Loading…")];
    case "missing":
      return [element("p", "message", visibleText(state.message))];
    case "proposal": {
      const { proposal, left, why, recordPending } = state;
      return [
        headOf(proposal, why, on),
        ...factsOf(proposal, {
          recordPending,
          showVersion: (version) => on.post({ type: "showVersion", version }),
        }),
        ...hunksOf(proposal, left, {
          choose: (hunk, taken) => on.post({ type: "choose", hunk, taken }),
          openDiff: () => on.post({ type: "openDiff" }),
          isOpen: proposal.state === "waiting" && !state.isBusy,
        }),
        ...answersOf(state, ui, on),
      ];
    }
  }
}

function headOf(proposal: Proposal, why: string | null, on: CardHandlers): HTMLElement {
  const head = element("header");
  const title = element("h1", "", visibleLine(proposal.id));
  const standing = element("span", `standing ${proposal.state}`, proposalLooks[proposal.state].word);
  const what = element("p", "title", visibleLine(proposal.title));
  const line = element("p", "quiet");
  const parent = element("button", "link", visibleLine(proposal.parent));
  parent.type = "button";
  parent.id = "parent";
  parent.title = "Show this version in the lineage";
  parent.addEventListener("click", () => on.post({ type: "showVersion", version: proposal.parent }));
  line.append("On ", parent, `, proposed by ${visibleLine(proposal.proposer)}`);
  if (proposal.factor !== null) line.append(`; factor ${proposal.factor}`);
  line.append(".");
  if (proposal.state === "waiting" && why !== null)
    line.append(` A person has to answer because ${visibleLine(why)}.`);
  head.append(title, standing, what, line);
  return head;
}
