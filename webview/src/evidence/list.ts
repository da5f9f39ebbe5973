import type { EvidenceRow } from "../../../shared/protocol/evidence.ts";
import { element } from "../shared/dom.ts";
import { countText, valueText } from "../shared/numbers.ts";
import { outcomeElement } from "../shared/outcomes.ts";
import { visibleLine } from "../shared/visibleText.ts";
import { windowOf } from "./virtualRows.ts";

export const rowHeight = 26;
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
  readonly update: (rows: readonly EvidenceRow[], selected: number | null, more: boolean) => void;
  readonly focus: () => void;
};

/**
 * Rollouts, one per line; only those in view are elements. One tab stop: arrows move, Enter opens, with Ctrl beside. `nearEnd` is called
 * when what is there has nearly been scrolled through.
 */
export function createList(on: {
  readonly select: (rid: number) => void;
  readonly open: (row: EvidenceRow, beside: boolean) => void;
  readonly nearEnd: () => void;
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

  let rows: readonly EvidenceRow[] = [];
  let current: number | null = null;
  let hasMore = false;

  const draw = (): void => {
    const shown = windowOf({
      rows: rows.length,
      rowHeight,
      scrollTop: scroller.scrollTop,
      height: scroller.clientHeight || 600,
    });
    space.style.height = `${rows.length * rowHeight + (hasMore ? rowHeight : 0)}px`;
    space.replaceChildren(
      ...rows.slice(shown.first, shown.end).map((row, i) => {
        const made = rowElement(row, row.rid === current);
        made.style.top = `${shown.top + i * rowHeight}px`;
        made.setAttribute("aria-posinset", String(shown.first + i + 1));
        made.setAttribute("aria-setsize", String(hasMore ? -1 : rows.length));
        made.addEventListener("click", () => on.select(row.rid));
        made.addEventListener("dblclick", (event) => on.open(row, event.ctrlKey || event.metaKey));
        return made;
      }),
    );
    const active = rows.some(({ rid }) => rid === current) ? `rollout-${current ?? ""}` : null;
    if (active === null) scroller.removeAttribute("aria-activedescendant");
    else scroller.setAttribute("aria-activedescendant", active);
    if (hasMore && shown.end >= rows.length) on.nearEnd();
  };
  scroller.addEventListener("scroll", draw);
  new ResizeObserver(draw).observe(scroller);

  scroller.addEventListener("keydown", (event) => {
    const at = rows.findIndex(({ rid }) => rid === current);
    const page = Math.max(1, Math.floor(scroller.clientHeight / rowHeight) - 1);
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: 1,
      ArrowUp: -1,
      PageDown: page,
      PageUp: -page,
      Home: -rows.length,
      End: rows.length,
    };
    const step = steps[event.key];
    if (event.key === "Enter") {
      const row = rows[at];
      if (row) on.open(row, event.ctrlKey || event.metaKey);
    } else if (step !== undefined) {
      const next = Math.max(0, Math.min(rows.length - 1, at === -1 ? 0 : at + step));
      const row = rows[next];
      if (row) on.select(row.rid);
      reveal(next);
    } else return;
    event.preventDefault();
  });
  const reveal = (index: number): void => {
    const [top, bottom] = [index * rowHeight, (index + 1) * rowHeight];
    if (top < scroller.scrollTop) scroller.scrollTop = top;
    else if (bottom > scroller.scrollTop + scroller.clientHeight)
      scroller.scrollTop = bottom - scroller.clientHeight;
  };

  return {
    node,
    focus: () => scroller.focus(),
    update: (next, selected, more) => {
      // Another list starts at its top; a longer one stays where it is.
      const isOther = next[0]?.rid !== rows[0]?.rid || next.length < rows.length;
      [rows, current, hasMore] = [next, selected, more];
      if (isOther) scroller.scrollTop = 0;
      draw();
    },
  };
}

function rowElement(row: EvidenceRow, selected: boolean): HTMLElement {
  const made = element("div", selected ? "row selected" : "row");
  made.id = `rollout-${row.rid}`;
  made.setAttribute("role", "option");
  made.setAttribute("aria-selected", String(selected));
  const cells: Readonly<Record<Exclude<(typeof columns)[number], "outcome">, string>> = {
    item: `${visibleLine(row.item)} · ${row.sample}`,
    step: countText(row.step),
    reward: row.reward === null ? "" : valueText(row.reward),
    stop: visibleLine(row.stop_reason ?? ""),
    tokens: row.tokens === null ? "" : countText(row.tokens),
    labels: row.labels.join(", "),
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
