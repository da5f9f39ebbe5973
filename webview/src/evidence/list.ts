import type { EvidenceRow } from "../../../shared/protocol/views/evidence.ts";
import { element } from "../shared/dom.ts";
import { VirtualList } from "../shared/virtualList.ts";
import { createHead, createSlot, fillSlot, type RowSlot } from "./rowSlot.ts";
import { RowStore } from "./rowStore.ts";

/** In a narrow window a row has two lines, and three in one that is hardly as wide as they are long: the same widths as in evidence.css. */
const narrow = matchMedia("(max-width: 1080px)");
const narrowest = matchMedia("(max-width: 340px)");
const heightOfRow = (): number => (narrowest.matches ? 64 : narrow.matches ? 44 : 26);

export type ListHandlers = {
  readonly select: (row: EvidenceRow) => void;
  readonly open: (row: EvidenceRow, beside: boolean, at: number) => void;
  /** What is drawn may have to be fetched. */
  readonly look: () => void;
};

/** Rollouts, one per line; a row that is not there yet holds its place. One tab stop: arrows move, Enter opens, with Ctrl beside. */
export class RolloutList {
  readonly node = element("div", "list");
  readonly #on: ListHandlers;
  readonly #scroller = element("div", "rows");
  readonly #list: VirtualList<RowSlot>;
  #store = new RowStore();
  #selected: number | null = null;
  /** The row that the keys move from; it may not be there yet, and is selected as soon as it is. */
  #at = -1;
  #toSelect = false;
  /** Enter was pressed; whether it shall open beside. */
  #toOpen: boolean | undefined;

  constructor(on: ListHandlers) {
    this.#on = on;
    const space = element("div", "space");
    const scroller = this.#scroller;
    scroller.tabIndex = 0;
    scroller.setAttribute("role", "listbox");
    scroller.setAttribute("aria-label", "Rollouts");
    scroller.append(space);
    this.node.append(createHead(), scroller);
    scroller.addEventListener("keydown", (event) => this.#pressed(event));
    this.#list = new VirtualList({
      scroller,
      space,
      get rowHeight() {
        return heightOfRow();
      },
      make: () => this.#make(),
      fill: (slot, index) => this.#fill(slot, index),
      drawn: (first, end) => this.#drawn(first, end),
    });
    const becomeOther = (): void => {
      this.#list.clear();
      this.#list.resize(this.#store.rows);
      this.#list.update();
      if (this.#at >= 0) this.#list.reveal(this.#at);
    };
    for (const width of [narrow, narrowest]) width.addEventListener("change", becomeOther);
  }

  /** Draws what is there; `rows` is another object for another list, which starts at its top. */
  update(rows: RowStore, selected: number | null): void {
    const isOther = rows !== this.#store;
    [this.#store, this.#selected] = [rows, selected];
    this.#list.resize(rows.rows);
    if (isOther) {
      [this.#at, this.#toSelect, this.#toOpen] = [-1, false, undefined];
      this.#list.scrollTo(0);
    }
    const found = this.#toSelect ? -1 : rows.indexOf(selected);
    if (found >= 0) this.#at = found;
    this.#settle();
    this.#list.update();
  }

  #make(): RowSlot {
    const slot = createSlot();
    slot.node.addEventListener("click", () => {
      if (!slot.row) return;
      this.#at = slot.index;
      this.#on.select(slot.row);
    });
    slot.node.addEventListener("dblclick", (event) => {
      if (slot.row) this.#on.open(slot.row, event.ctrlKey || event.metaKey, slot.index);
    });
    return slot;
  }

  #fill(slot: RowSlot, index: number): void {
    const row = this.#store.at(index);
    const isSelected = row !== undefined && row.rid === this.#selected;
    const size = this.#store.isCounted ? this.#store.rows : -1;
    fillSlot(slot, row, { index, size, isSelected, invalidating: this.#store.invalidating });
  }

  #drawn(first: number, end: number): void {
    let active: number | undefined;
    for (let index = first; index < end; index++) {
      const rid = this.#store.at(index)?.rid;
      if (rid !== undefined && rid === this.#selected) active = rid;
    }
    if (active === undefined) this.#scroller.removeAttribute("aria-activedescendant");
    else this.#scroller.setAttribute("aria-activedescendant", `rollout-${active}`);
    this.#store.look(first, end);
    this.#on.look();
  }

  #choose(index: number): void {
    this.#at = Math.max(0, Math.min(this.#store.rows - 1, index));
    this.#toSelect = true;
    this.#list.reveal(this.#at);
    this.#settle();
  }

  #settle(): void {
    const row = this.#toSelect || this.#toOpen !== undefined ? this.#store.at(this.#at) : undefined;
    if (!row) return;
    const [toSelect, beside] = [this.#toSelect, this.#toOpen];
    [this.#toSelect, this.#toOpen] = [false, undefined];
    if (toSelect) this.#on.select(row);
    if (beside !== undefined) this.#on.open(row, beside, this.#at);
  }

  #pressed(event: KeyboardEvent): void {
    const page = this.#list.page;
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
      this.#toOpen = event.ctrlKey || event.metaKey;
      if (this.#at === -1) this.#choose(0);
      else this.#settle();
    } else if (step !== undefined)
      this.#choose(this.#at === -1 && Number.isFinite(step) ? 0 : this.#at + step);
    else return;
    event.preventDefault();
  }
}
