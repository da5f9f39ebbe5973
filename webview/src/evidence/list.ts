import type { EvidenceRow } from "../../../shared/protocol/evidence.ts";
import { element } from "../shared/dom.ts";
import { countText, valueText } from "../shared/numbers.ts";
import { outcomeElement } from "../shared/outcomes.ts";
import { visibleLine } from "../shared/visibleText.ts";
import { RowStore } from "./rowStore.ts";
import { scaleOf, spaceHeight, windowOf } from "./virtualRows.ts";

const rowHeight = 26;
const columns = ["outcome", "item", "step", "reward", "stop", "tokens", "labels"] as const;
const titles: Readonly<Record<(typeof columns)[number], string>> = {
  outcome: "Outcome",
  item: "Item · sample",
  step: "Step",
  reward: "Reward",
  stop: "Stopped by",
  tokens: "Tokens",
  labels: "Labels",
};

export type List = {
  readonly node: HTMLElement;
  readonly focus: () => void;
  /** Draws what is there; `rows` is another object for another list, which starts at its top. */
  readonly update: (rows: RowStore, selected: number | null) => void;
};

/**
 * Rollouts, one per line; only those in view are elements, and a row that is not there yet holds its place. One tab stop: arrows
 * move, Enter opens, with Ctrl beside. `look` is called when what is drawn may have to be fetched.
 */
export function createList(on: {
  readonly select: (row: EvidenceRow) => void;
  readonly open: (row: EvidenceRow, beside: boolean) => void;
  readonly look: () => void;
}): List {
  const node = element("div", "list");
  const head = element("div", "row head");
  head.setAttribute("aria-hidden", "true");
  for (const column of columns) head.append(element("span", column, titles[column]));
  const scroller = element("div", "rows");
  scroller.tabIndex = 0;
  scroller.setAttribute("role", "listbox");
  scroller.setAttribute("aria-label", "Rollouts");
  const space = element("div", "space");
  scroller.append(space);
  node.append(head, scroller);

  let store = new RowStore();
  let current: number | null = null;
  /** The row that the keys move from; it may not be there yet, and is selected as soon as it is. */
  let at = -1;
  let toSelect = false;
  /** Enter was pressed; whether it shall open beside. */
  let toOpen: boolean | undefined;
  /** How far the list is scrolled in its own height, and where the scroll bar stands for it. */
  let top = 0;
  let bar = 0;
  const drawn = new Map<number, { readonly row: EvidenceRow | undefined; readonly made: HTMLElement }>();

  const size = () => ({ rows: store.rows, rowHeight, height: scroller.clientHeight || 600 });
  const mostTop = (): number => Math.max(0, store.rows * rowHeight - size().height);
  const scrollTo = (next: number): void => {
    top = Math.max(0, Math.min(mostTop(), next));
    scroller.scrollTop = top / scaleOf(size());
    bar = scroller.scrollTop;
  };

  const draw = (): void => {
    const height = `${spaceHeight(size())}px`;
    if (space.style.height !== height) space.style.height = height;
    const shown = windowOf({ ...size(), top });
    store.look(shown.first, shown.end);
    for (const [index, { made }] of drawn)
      if (index < shown.first || index >= shown.end) {
        made.remove();
        drawn.delete(index);
      }
    const setSize = String(store.isCounted ? store.rows : -1);
    for (let index = shown.first; index < shown.end; index++) {
      const row = store.at(index);
      const before = drawn.get(index);
      const made = before && before.row === row ? before.made : row ? rowElement(row) : waitingElement();
      if (made !== before?.made) {
        before?.made.remove();
        made.setAttribute("aria-posinset", String(index + 1));
        if (row) listen(made, row, index);
        space.append(made);
        drawn.set(index, { row, made });
      }
      const selected = row !== undefined && row.rid === current;
      made.classList.toggle("selected", selected);
      made.setAttribute("aria-selected", String(selected));
      made.setAttribute("aria-setsize", setSize);
      made.style.top = `${index * rowHeight - top + bar}px`;
    }
    const active = space.querySelector(".selected")?.id;
    if (active === undefined) scroller.removeAttribute("aria-activedescendant");
    else scroller.setAttribute("aria-activedescendant", active);
    on.look();
  };
  const listen = (made: HTMLElement, row: EvidenceRow, index: number): void => {
    made.addEventListener("click", () => {
      at = index;
      on.select(row);
    });
    made.addEventListener("dblclick", (event) => on.open(row, event.ctrlKey || event.metaKey));
  };
  scroller.addEventListener("scroll", () => {
    // What the list itself scrolled has a place already, which the bar of a very long list cannot say.
    if (Math.abs(scroller.scrollTop - bar) >= 1 || scaleOf(size()) === 1) {
      bar = scroller.scrollTop;
      top = Math.min(mostTop(), bar * scaleOf(size()));
    }
    draw();
  });
  scroller.addEventListener(
    "wheel",
    (event) => {
      if (scaleOf(size()) === 1 || event.deltaMode !== WheelEvent.DOM_DELTA_PIXEL || event.ctrlKey) return;
      event.preventDefault();
      scrollTo(top + event.deltaY);
      draw();
    },
    { passive: false },
  );
  new ResizeObserver(draw).observe(scroller);

  const choose = (index: number): void => {
    at = Math.max(0, Math.min(store.rows - 1, index));
    if (at * rowHeight < top) scrollTo(at * rowHeight);
    else if ((at + 1) * rowHeight > top + size().height) scrollTo((at + 1) * rowHeight - size().height);
    toSelect = true;
    settle();
    draw();
  };
  const settle = (): void => {
    const row = toSelect || toOpen !== undefined ? store.at(at) : undefined;
    if (!row) return;
    if (toSelect) on.select(row);
    const beside = toOpen;
    [toSelect, toOpen] = [false, undefined];
    if (beside !== undefined) on.open(row, beside);
  };
  scroller.addEventListener("keydown", (event) => {
    const page = Math.max(1, Math.floor(size().height / rowHeight) - 1);
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: 1,
      ArrowUp: -1,
      PageDown: page,
      PageUp: -page,
      Home: -Infinity,
      End: Infinity,
    };
    const step = steps[event.key];
    if (event.key === "Enter") {
      // One that is on its way is opened when it comes.
      toOpen = event.ctrlKey || event.metaKey;
      if (at === -1) choose(0);
      else settle();
    } else if (step !== undefined) choose(at === -1 && Number.isFinite(step) ? 0 : at + step);
    else return;
    event.preventDefault();
  });

  return {
    node,
    focus: () => scroller.focus(),
    update: (next, selected) => {
      const isOther = next !== store;
      [store, current] = [next, selected];
      if (isOther) {
        [at, toSelect] = [-1, false];
        scrollTo(0);
      }
      const found = toSelect ? -1 : store.indexOf(selected);
      if (found >= 0) at = found;
      if (top > mostTop()) scrollTo(mostTop());
      settle();
      draw();
    },
  };
}

/** Holds the place of a row that is on its way. */
function waitingElement(): HTMLElement {
  const made = element("div", "row waiting");
  made.setAttribute("role", "option");
  made.setAttribute("aria-label", "on its way");
  made.append(element("span", "outcome", "…"));
  return made;
}

function rowElement(row: EvidenceRow): HTMLElement {
  const made = element("div", "row");
  made.id = `rollout-${row.rid}`;
  made.setAttribute("role", "option");
  const cells: Readonly<Record<Exclude<(typeof columns)[number], "outcome">, string>> = {
    item: `${visibleLine(row.item)} · ${row.sample}`,
    step: countText(row.step),
    reward: row.reward === null ? "" : valueText(row.reward),
    stop: visibleLine(row.stop_reason ?? ""),
    tokens: row.tokens === null ? "" : countText(row.tokens),
    labels: [row.notes > 0 ? `✎ ${row.notes === 1 ? "note" : `${row.notes} notes`}` : "", ...row.labels]
      .filter((part) => part !== "")
      .join(", "),
  };
  for (const column of columns) {
    if (column === "outcome") {
      made.append(outcomeElement("span", row.outcome));
      continue;
    }
    const cell = element("span", column, cells[column]);
    cell.title = cells[column];
    made.append(cell);
  }
  if (row.snippet) {
    const { before, hit, after } = row.snippet;
    const found = element("span", "snippet");
    found.append(visibleLine(before), element("mark", "", visibleLine(hit)), visibleLine(after));
    made.append(found);
  }
  return made;
}
