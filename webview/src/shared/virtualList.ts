/** One row's elements, which show one row after another. */
export type Slot = { readonly node: HTMLElement };

export type ListParts<S extends Slot> = {
  /** What scrolls. */
  readonly scroller: HTMLElement;
  /** What the rows lie in, as high as all of them. */
  readonly space: HTMLElement;
  /** What stays above the rows while they are scrolled, inside the scroller. */
  readonly head?: HTMLElement;
  readonly rowHeight: number;
  readonly make: () => S;
  /** Shows a row in a slot. It is called again for a row that is shown when what the list shows may have changed. */
  readonly fill: (slot: S, index: number) => void;
  /** Rows from `first` up to, not including, `end` are elements now. */
  readonly drawn: (first: number, end: number) => void;
};

/** Rows that are drawn above and below those in view, so that a scroll shows no gap. */
const margin = 8;
/** Browsers draw nothing beyond some 33 million pixels; a longer list gets a scroll bar of this height. */
const mostPixels = 30_000_000;

/** A list that is scrolled: heights in pixels, every row as high as the others. */
export type Extent = { readonly rows: number; readonly rowHeight: number; readonly height: number };

/** The height of the space that the scroll bar is for. */
export const spaceHeight = ({ rows, rowHeight }: Pick<Extent, "rows" | "rowHeight">): number =>
  Math.min(rows * rowHeight, mostPixels);

/** How many pixels of the list one pixel of the scroll bar stands for; 1 but for lists that are too long to be drawn. */
export function scaleOf({ rows, rowHeight, height }: Extent): number {
  const space = spaceHeight({ rows, rowHeight });
  return rows * rowHeight <= mostPixels || space <= height
    ? 1
    : (rows * rowHeight - height) / (space - height);
}

/** The rows that a list has to draw that is scrolled by `top` pixels of its own height: as many wherever it stands. */
export function windowOf({ rows, rowHeight, height, top }: Extent & { readonly top: number }): {
  readonly first: number;
  readonly end: number;
} {
  const count = Math.min(rows, Math.ceil(height / rowHeight) + 1 + 2 * margin);
  const first = Math.max(0, Math.min(rows - count, Math.floor(top / rowHeight) - margin));
  return { first, end: first + count };
}

/**
 * A list of which only the rows in view are elements, each used again for another row when its own leaves the view. It may be
 * longer than what a browser can draw. The rows' own look, keys and selection are the caller's.
 */
export class VirtualList<S extends Slot> {
  readonly #parts: ListParts<S>;
  #slots: { readonly slot: S; row: number; stamp: number }[] = [];
  #rows = 0;
  #stamp = 0;
  /** Read when it changes only: reading it in a frame would lay the page out once more. */
  #height = 600;
  /** How far the list is scrolled in its own height, and where the scroll bar stands for it. */
  #top = 0;
  #bar = 0;
  /** From a row's place in the list to its place in the space. */
  #shift = 0;

  constructor(parts: ListParts<S>) {
    this.#parts = parts;
    const { scroller } = parts;
    scroller.addEventListener("scroll", () => this.#scrolled(), { passive: true });
    new ResizeObserver(() => {
      this.#measure();
      this.draw();
    }).observe(scroller);
  }

  get top(): number {
    return this.#top;
  }

  /** Rows that are seen at once, but for one, so that a page up or down keeps a row to read on from. */
  get page(): number {
    return Math.max(1, Math.floor(this.#height / this.#parts.rowHeight) - 1);
  }

  /** How many rows there are; what is drawn follows with the next `update`. */
  resize(rows: number): void {
    this.#rows = rows;
    const { space } = this.#parts;
    const height = `${spaceHeight(this.#extent)}px`;
    if (space.style.height !== height) space.style.height = height;
    if (this.#top > 0 && this.#top > this.#mostTop) this.scrollTo(this.#mostTop);
    this.#takeWheel();
  }

  /** What the rows show may be another. */
  update(): void {
    this.#stamp++;
    this.draw();
  }

  scrollTo(top: number): void {
    const { scroller } = this.#parts;
    this.#top = Math.max(0, Math.min(this.#mostTop, top));
    scroller.scrollTop = this.#top / scaleOf(this.#extent);
    this.#bar = scroller.scrollTop;
    this.#settle();
  }

  /** Scrolls as little as brings a row into view. */
  reveal(row: number): void {
    this.#measure();
    const { rowHeight, head } = this.#parts;
    const [above, below] = [row * rowHeight, (row + 1) * rowHeight + (head?.offsetHeight ?? 0)];
    if (above < this.#top) this.scrollTo(above);
    else if (below > this.#top + this.#height) this.scrollTo(below - this.#height);
    this.draw();
  }

  /** Drops the elements, for those of another kind. */
  clear(): void {
    for (const { slot } of this.#slots.splice(0)) slot.node.remove();
  }

  draw(): void {
    const { space, make, fill, drawn, rowHeight } = this.#parts;
    const { first, end } = windowOf({ ...this.#extent, top: this.#top });
    const count = end - first;
    while (this.#slots.length < count) {
      const slot = make();
      space.append(slot.node);
      this.#slots.push({ slot, row: -1, stamp: -1 });
    }
    for (const { slot } of this.#slots.splice(count)) slot.node.remove();
    const shift = this.#bar - this.#top;
    const isShifted = shift !== this.#shift;
    this.#shift = shift;
    for (let row = first; row < end; row++) {
      const place = this.#slots[row % count];
      if (!place) continue;
      const isOther = place.row !== row;
      if (isOther || isShifted) place.slot.node.style.top = `${row * rowHeight + shift}px`;
      if (!isOther && place.stamp === this.#stamp) continue;
      [place.row, place.stamp] = [row, this.#stamp];
      fill(place.slot, row);
    }
    drawn(first, end);
  }

  get #extent(): Extent {
    return { rows: this.#rows, rowHeight: this.#parts.rowHeight, height: this.#height };
  }
  get #mostTop(): number {
    const under = this.#parts.head?.offsetHeight ?? 0;
    return Math.max(0, this.#rows * this.#parts.rowHeight + under - this.#height);
  }

  #measure(): void {
    this.#height = this.#parts.scroller.clientHeight || 600;
    this.#takeWheel();
  }

  /** A wheel that somebody listens to scrolls less smoothly: only where the bar is too coarse for it. */
  #takeWheel(): void {
    const { scroller } = this.#parts;
    if (scaleOf(this.#extent) === 1) scroller.removeEventListener("wheel", this.#wheeled);
    else scroller.addEventListener("wheel", this.#wheeled, { passive: false });
  }

  /** Where the bar has a pixel for each of the list, it alone says how far the list is scrolled. */
  #settle(): void {
    if (scaleOf(this.#extent) === 1) this.#top = this.#bar;
  }

  #scrolled(): void {
    const { scrollTop } = this.#parts.scroller;
    const scale = scaleOf(this.#extent);
    // What the list itself scrolled has a place already, which the bar of a very long list cannot say.
    if (Math.abs(scrollTop - this.#bar) >= 1 || scale === 1) {
      this.#bar = scrollTop;
      this.#top = scale === 1 ? scrollTop : Math.min(this.#mostTop, scrollTop * scale);
    }
    this.draw();
  }

  readonly #wheeled = (event: WheelEvent): void => {
    if (event.deltaMode !== WheelEvent.DOM_DELTA_PIXEL || event.ctrlKey) return;
    event.preventDefault();
    this.scrollTo(this.#top + event.deltaY);
    this.draw();
  };
}
