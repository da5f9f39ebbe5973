import { proposalLooks, waitingWords, type GateAnswererWord } from "../../../shared/words/decisions.ts";
import type { GateState, GateUiState } from "../../../shared/protocol/views/gate.ts";
import { element } from "../shared/dom.ts";
import { glossaryWord } from "../shared/glossaryWord.ts";
import { visibleLine, visibleText } from "../shared/visibleText.ts";
import { answersOf } from "./answers.ts";
import type { CardHandlers } from "./cardHandlers.ts";
import { atAGlanceOf } from "./atAGlance.ts";
import { factsOf } from "./facts.ts";
import { hunksOf } from "./hunks.ts";
import { triedOf } from "./tried.ts";

type OpenState = Extract<GateState, { type: "proposal" }>;
export type Shown = { readonly state: GateState; readonly ui: GateUiState };

/** The card: the answers, what somebody decides by, the hunks, and all that is known of them. The focus stays where it was. */
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
      const { proposal, left, recordPending } = state;
      const about = {
        version: (version: string) => on.post({ type: "showVersion", version }),
        evidence: (version: string, label: string | null) => on.post({ type: "evidence", version, label }),
      };
      const openDiff = (): void => on.post({ type: "openDiff" });
      return [
        topOf(state, answersOf(state, ui, on)),
        headOf(state, on),
        ...triedOf(proposal, about),
        ...atAGlanceOf(proposal, { recordPending }, about),
        ...hunksOf(proposal, left, {
          choose: (hunk, taken) => on.post({ type: "choose", hunk, taken }),
          openDiff,
          isOpen: proposal.state === "waiting" && !state.isBusy,
        }),
        ...factsOf(proposal, { recordPending, openDiff }),
      ];
    }
  }
}

/** What it is and the answers: they stay in sight however far somebody reads. */
function topOf({ proposal, who }: OpenState, answers: readonly HTMLElement[]): HTMLElement {
  const top = element("header", "sticky");
  const title = element("h1", "", visibleLine(proposal.id));
  const isKnown = proposal.state === "waiting" && who !== undefined;
  const word = isKnown ? waitingWords[who] : proposalLooks[proposal.state].word;
  const standing = element("span", `standing ${proposal.state}`, word);
  top.append(title, standing, ...answers);
  return top;
}

function headOf({ proposal, why, who }: OpenState, on: CardHandlers): HTMLElement {
  const head = element("div", "about");
  const what = element("p", "title", visibleLine(proposal.title));
  const line = element("p", "quiet");
  const parent = element("button", "link", visibleLine(proposal.parent));
  parent.type = "button";
  parent.id = "parent";
  parent.title = "Show this version in the lineage";
  parent.addEventListener("click", () => on.post({ type: "showVersion", version: proposal.parent }));
  line.append("On ", parent, `, proposed by ${visibleLine(proposal.proposer)}`);
  if (proposal.factor !== null) {
    line.append("; ", glossaryWord("factor", "factor"), ` ${proposal.factor}`);
  }
  line.append(".");
  if (proposal.state === "waiting") line.append(visibleLine(askedText(who, why)));
  head.append(what, line);
  return head;
}

/** Who answers, and why; nothing while that is not known. */
function askedText(who: GateAnswererWord | undefined, why: string | null): string {
  switch (who) {
    case "rule":
      return " The project's rules decide this when the evolution goes on, not a person; you may answer before that.";
    case "proposer":
      return ` Another proposer has to answer because ${why ?? "the project asks one"}.`;
    case "nobody":
      return ` ${why ?? "Nobody can answer it."}`;
    case "person":
    case undefined:
      return why === null ? "" : ` A person has to answer because ${why}.`;
  }
}
