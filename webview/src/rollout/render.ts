import type {
  AlignedRollout,
  RolloutFocus,
  RolloutState,
  RolloutUiState,
  ShownRollout,
} from "../../../shared/protocol/views/rollout.ts";
import { element } from "../shared/dom.ts";
import { createButton } from "../shared/button.ts";
import { countedText, countText } from "../shared/numbers.ts";
import { alignedElement } from "./aligned.ts";
import { createMinimap } from "./minimap.ts";
import { tokensElement } from "./tokens.ts";
import { visibleLine, visibleText } from "../shared/visibleText.ts";
import { readFirst, readMark, type ReadFirst } from "../../../shared/model/namedTurns.ts";
import { evidenceTurns, labelsByTurn, turnAfter } from "./navigate.ts";
import { factsElement, summaryOf } from "./summary.ts";
import { createNotes } from "./notes.ts";
import { promptElement } from "./prompt.ts";
import { turnRewards } from "./turnRewards.ts";
import { plainTurn, turnElement, type TurnOptions } from "./turn.ts";

export type ViewModel = {
  readonly state: RolloutState;
  readonly ui: RolloutUiState;
  /** What the person has said of each label since the rollout was opened. */
  readonly said: ReadonlyMap<string, boolean>;
  /** Rollouts of the item that are shown side by side instead of the turns. */
  readonly aligned?: readonly AlignedRollout[];
};
export type Handlers = {
  /** Whether it was read before the window was reloaded: it goes on where it was left. */
  readonly isBack: boolean;
  readonly show: (ui: RolloutUiState) => void;
  readonly copy: (text: string) => void;
  readonly openDiagnostic: (label: string) => void;
  readonly openSource: () => void;
  readonly showItem: () => void;
  readonly compare: () => void;
  readonly step: (by: -1 | 1) => void;
  readonly align: () => void;
  readonly unalign: () => void;
  readonly openOther: (run: string, id: string) => void;
  readonly save: () => void;
  readonly note: (note: string) => void;
  /** Without a label the person is asked for a diagnostic. */
  readonly example: (label: string | null, expect: "labelled" | "clear" | null) => void;
  readonly say: (label: string, labelled: boolean) => void;
};

/** Draws the reader and returns how to draw it again. */
export function createView(app: HTMLElement, on: Handlers): (model: ViewModel) => void {
  const header = element("header", "top");
  const title = element("h1");
  const tools = element("div", "tools");
  header.append(title, tools);
  const message = element("section", "message");
  message.setAttribute("role", "status");
  const summary = element("div", "beside");
  const said = element("div", "said");
  const meta = element("div", "about");
  const facts = element("div");
  const notes = createNotes(on.note);
  meta.append(facts, notes.node);
  summary.append(said, meta);
  const turns = element("div", "turns-list");
  turns.tabIndex = 0;
  turns.setAttribute("role", "group");
  const content = element("div", "content");
  const minimap = createMinimap((turn) => goTo(turn));
  content.append(minimap.node, summary, turns);
  const beside = element("div", "content-aligned");
  app.replaceChildren(header, message, content, beside);

  let model: ViewModel | undefined;
  let first: ReadFirst | undefined;
  const goTo = (index: number): void => {
    if (model?.state.type !== "rollout") return;
    const { ui } = model;
    const folded = ui.folded.includes(index) ? toggled(ui.folded, index) : ui.folded;
    on.show({ version: 1, raw: false, turn: index, folded });
    focusTurn(index);
  };
  app.addEventListener("keydown", (event) => {
    if (pressed(event, model, { inTurns: turns.contains(document.activeElement), on, goTo }))
      event.preventDefault();
  });

  const drawShown = (shown: ShownRollout, next: ViewModel, before: ViewModel | undefined): void => {
    const { state, ui } = next;
    // It reads every character of the rollout: once, and not again with each key.
    if (!isReadAlike(before, shown)) first = readFirst(shown);
    title.textContent = visibleLine(`${shown.rollout.run}/${shown.rollout.id}`);
    const place = state.type === "rollout" ? state.place : undefined;
    tools.replaceChildren(...stepsOf(place, on), ...toolsOf(shown, ui, on, goTo));
    said.replaceChildren(summaryOf(shown, { said: next.said, first }, { ...on, turn: goTo }));
    facts.replaceChildren(factsElement(shown, on), tokensElement(shown.rollout, goTo));
    notes.update(shown.notes);
    if (!hasSameTurns(before, shown, ui)) {
      drawTurns(turns, shown, { ui, first }, on);
      minimap.draw(shown.rollout.turns, labelsByTurn(shown.labels));
    }
    minimap.node.classList.toggle("off", ui.raw || ui.prompt !== undefined);
    minimap.point(ui.turn);
    for (const turn of turns.querySelectorAll(".turn.current")) turn.classList.remove("current");
    document.getElementById(`turn-${ui.turn}`)?.classList.add("current");
    if (before?.state.type === "rollout" || state.type !== "rollout") return;
    const start = on.isBack ? undefined : (firstTurn(shown, state.focus) ?? first?.turns[0]);
    if (start !== undefined) goTo(start);
    else document.getElementById(`turn-${ui.turn}`)?.scrollIntoView({ block: "center" });
  };

  return (next) => {
    const before = model;
    model = next;
    const { state } = next;
    const aligned = next.aligned ?? [];
    const shown = state.type === "rollout" ? state.shown : undefined;
    message.hidden = shown !== undefined;
    content.hidden = !shown || aligned.length > 0;
    beside.hidden = !shown || aligned.length === 0;
    if (before?.aligned !== next.aligned)
      beside.replaceChildren(
        ...(aligned.length === 0 ? [] : [alignedElement(aligned, { open: on.openOther, back: on.unalign })]),
      );
    tools.hidden = !shown;
    if (state.type === "loading") message.replaceChildren(element("p", "", "Reading the rollout…"));
    if (state.type === "missing") message.replaceChildren(element("p", "cause", state.message));
    if (shown) drawShown(shown, next, before);
  };
}

function focusTurn(index: number): void {
  const turn = document.getElementById(`turn-${index}`);
  turn?.focus({ preventScroll: true });
  turn?.scrollIntoView({ block: "center" });
}

/** Whether a key meant something. */
function pressed(
  event: KeyboardEvent,
  model: ViewModel | undefined,
  {
    inTurns,
    on,
    goTo,
  }: { readonly inTurns: boolean; readonly on: Handlers; readonly goTo: (index: number) => void },
): boolean {
  if (event.target instanceof HTMLTextAreaElement) return false;
  if (model?.state.type !== "rollout" || event.ctrlKey || event.metaKey || event.altKey) return false;
  const { ui, state } = model;
  const { turns } = state.shown.rollout;
  if (event.key === "Enter" && document.activeElement?.classList.contains("turn")) {
    on.show({ ...ui, folded: toggled(ui.folded, ui.turn) });
    return true;
  }
  // Arrows scroll the page as everywhere, unless a turn has the focus.
  if (!inTurns && !"njpk".includes(event.key)) return false;
  const next = turnAfter(event.key, {
    current: ui.turn,
    turns: turns.length,
    evidence: evidenceTurns(state.shown.labels, turns.length),
  });
  if (next !== undefined) goTo(next);
  return next !== undefined;
}

/** Whether all that says where to read first is as it was. */
function isReadAlike(before: ViewModel | undefined, { rollout, labels, diagnostics }: ShownRollout): boolean {
  if (before?.state.type !== "rollout") return false;
  const { shown } = before.state;
  return shown.rollout === rollout && shown.labels === labels && shown.diagnostics === diagnostics;
}

function hasSameTurns(before: ViewModel | undefined, { rollout }: ShownRollout, ui: RolloutUiState): boolean {
  return (
    before?.state.type === "rollout" &&
    before.state.shown.rollout === rollout &&
    before.ui.raw === ui.raw &&
    before.ui.prompt === ui.prompt &&
    before.ui.folded === ui.folded
  );
}

/** Where reading starts: at the turn that was asked for, or the first that shows the label that was, or any. */
function firstTurn(shown: ShownRollout, focus: RolloutFocus | null): number | undefined {
  if (typeof focus === "number" && focus < shown.rollout.turns.length) return focus;
  const wanted = shown.labels.filter(({ label }) => typeof focus !== "string" || label === focus);
  return evidenceTurns(wanted, shown.rollout.turns.length)[0];
}

const toggled = (folded: readonly number[], index: number): number[] =>
  folded.includes(index) ? folded.filter((f) => f !== index) : [...folded, index];

function drawTurns(
  list: HTMLElement,
  shown: ShownRollout,
  { ui, first }: { readonly ui: RolloutUiState; readonly first: ReadFirst | undefined },
  on: Handlers,
): void {
  const { turns } = shown.rollout;
  list.setAttribute(
    "aria-label",
    `${countedText(turns.length, "turn")}; j and k move, n and p go to turns that show a label`,
  );
  if (ui.raw) {
    list.replaceChildren(element("pre", "text raw", visibleText(JSON.stringify(shown.rollout, null, 2))));
    return;
  }
  if (ui.prompt !== undefined) {
    const { prompt, ...rest } = ui;
    const back = (): void => {
      on.show({ ...rest, turn: prompt });
      focusTurn(prompt);
    };
    list.replaceChildren(promptElement(shown.rollout, prompt, { back, copy: on.copy }));
    list.scrollTop = 0;
    list.querySelector<HTMLElement>("button")?.focus();
    return;
  }
  const focused = document.activeElement?.id ?? "";
  const rewards = turnRewards(shown.rollout);
  const labels = labelsByTurn(shown.labels);
  const folded = new Set(ui.folded);
  list.replaceChildren(
    ...turns.map((turn, index) =>
      turnElement(turn, {
        index,
        folded: folded.has(index),
        labels: labels.get(index) ?? [],
        readFirst: markOf(first, index),
        reward: rewards.get(index),
        toggle: (at) => on.show({ ...ui, turn: at, folded: toggled(ui.folded, at) }),
        prompt: (at) => on.show({ ...ui, turn: at, prompt: at }),
        copy: on.copy,
      }),
    ),
  );
  if (focused.startsWith("turn-")) document.getElementById(focused)?.focus({ preventScroll: true });
}

function markOf(first: ReadFirst | undefined, index: number): TurnOptions["readFirst"] {
  const mark = first === undefined ? undefined : readMark(first, index);
  return first === undefined || mark === undefined ? undefined : { mark, because: first.because };
}

/** To the neighbours in the list that the rollout was opened from. */
function stepsOf(place: Extract<RolloutState, { type: "rollout" }>["place"], on: Handlers): HTMLElement[] {
  if (place === undefined) return [];
  const { at, of } = place;
  const back = createButton("◂ Previous", () => on.step(-1), "secondary");
  const next = createButton("Next ▸", () => on.step(1), "secondary");
  back.toggleAttribute("disabled", at <= 0);
  next.toggleAttribute("disabled", of !== null && at >= of - 1);
  return [
    back,
    element("span", "place quiet", `${countText(at + 1)}${of === null ? "" : ` of ${countText(of)}`}`),
    next,
  ];
}

function toolsOf(
  shown: ShownRollout,
  ui: RolloutUiState,
  on: Handlers,
  goTo: (index: number) => void,
): HTMLElement[] {
  const { turns } = shown.rollout;
  const evidence = evidenceTurns(shown.labels, turns.length);
  const raw = createButton("Raw", () => on.show({ ...ui, raw: !ui.raw }), "secondary");
  raw.setAttribute("aria-pressed", String(ui.raw));
  const allFolded = ui.folded.length === turns.length;
  const fold = createButton(
    allFolded ? "Unfold All" : "Fold All",
    () => on.show({ ...ui, folded: allFolded ? [] : turns.map((_, i) => i) }),
    "secondary",
  );
  const next = createButton(
    "Next Evidence",
    () => goTo(evidence.find((index) => index > ui.turn) ?? evidence[0] ?? 0),
    "secondary",
  );
  return [
    ...(evidence.length > 0 ? [next] : []),
    fold,
    raw,
    createButton("Side by Side", on.align, "secondary"),
    createButton("Compare…", on.compare, "secondary"),
    createButton("Add as Example…", () => on.example(null, null), "secondary"),
    createButton("Copy", () => on.copy(turns.map(plainTurn).join("\n")), "secondary"),
    createButton("Export…", on.save, "secondary"),
    createButton("Open Source Line", on.openSource, "secondary"),
  ];
}
