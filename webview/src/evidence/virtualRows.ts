/** A list that is scrolled: heights in pixels, every row as high as the others. `top` is how far it is scrolled in its own height. */
export type Scrolled = {
  readonly rows: number;
  readonly rowHeight: number;
  readonly top: number;
  readonly height: number;
};

/** Rows of a list that are drawn: from `first` up to, not including, `end`. */
export type Window = { readonly first: number; readonly end: number };

/** More rows above and below than can be seen, so that a small scroll shows no gap. */
const margin = 12;

/** Browsers draw nothing beyond some 33 million pixels; a longer list gets a scroll bar of this height. */
const mostPixels = 30_000_000;

/** The rows that a scrolled list has to draw. */
export function windowOf({ rows, rowHeight, top, height }: Scrolled): Window {
  const first = Math.max(0, Math.min(rows, Math.floor(top / rowHeight) - margin));
  const end = Math.max(first, Math.min(rows, Math.ceil((top + height) / rowHeight) + margin));
  return { first, end };
}

/** The height of the space that the scroll bar is for. */
export const spaceHeight = ({ rows, rowHeight }: Pick<Scrolled, "rows" | "rowHeight">): number =>
  Math.min(rows * rowHeight, mostPixels);

/** How many pixels of the list one pixel of the scroll bar stands for; 1 but for lists that are too long to be drawn. */
export function scaleOf({ rows, rowHeight, height }: Omit<Scrolled, "top">): number {
  const space = spaceHeight({ rows, rowHeight });
  return space <= height ? 1 : (rows * rowHeight - height) / (space - height);
}
