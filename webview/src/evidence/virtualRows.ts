/** Rows of a list that are drawn: from `first` up to, not including, `end`; `top` is where the first one begins, in pixels. */
export type Window = { readonly first: number; readonly end: number; readonly top: number };

/** More rows above and below than can be seen, so that a small scroll shows no gap. */
const margin = 12;

/** The rows that a scrolled list has to draw. Heights in pixels; every row is as high as the others. */
export function windowOf(list: {
  readonly rows: number;
  readonly rowHeight: number;
  readonly scrollTop: number;
  readonly height: number;
}): Window {
  const { rows, rowHeight, scrollTop, height } = list;
  const first = Math.max(0, Math.min(rows, Math.floor(scrollTop / rowHeight) - margin));
  const end = Math.max(first, Math.min(rows, Math.ceil((scrollTop + height) / rowHeight) + margin));
  return { first, end, top: first * rowHeight };
}
