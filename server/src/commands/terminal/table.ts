import type { Io } from "./io.ts";
import { cellText, withoutOwn } from "./ownSequences.ts";

/** Width on a terminal, for text without wide characters; our colours count as nothing. */
function width(text: string): number {
  return withoutOwn(text).length;
}

/**
 * Columns padded to their widest cell; those named in `right` are aligned to the right. Cells may hold colours, and each
 * is one line, whatever it holds.
 */
export function table(
  cells: readonly (readonly string[])[],
  right: readonly number[] = [],
  screen?: Pick<Io, "live" | "columns">,
): string {
  const whole = cells.map((row) => row.map(cellText));
  const columns = Math.max(0, ...whole.map((r) => r.length));
  const rows = screen?.live === true ? fitted(whole, columns, screen.columns) : whole;
  const widths = Array.from({ length: columns }, (_, i) => Math.max(...rows.map((r) => width(r[i] ?? ""))));
  return rows
    .map((row) =>
      row
        .map((cell, i) => {
          const pad = " ".repeat(Math.max(0, (widths[i] ?? 0) - width(cell)));
          return right.includes(i) ? pad + cell : cell + pad;
        })
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** Between two columns. */
const gap = 2;
/** No column becomes narrower than this, however small the terminal is. */
const narrowest = 10;

/**
 * The rows for a terminal of this width: what is too wide goes on in the lines below, in its own column. The widest texts
 * give way first; the first column, by which a row is found, and those with colours do not.
 */
function fitted(
  rows: readonly (readonly string[])[],
  columns: number,
  screen: number,
): readonly (readonly string[])[] {
  const widths = Array.from({ length: columns }, (_, i) => Math.max(...rows.map((r) => width(r[i] ?? ""))));
  const mayGive = widths.map((_, i) => i > 0 && rows.every((r) => withoutOwn(r[i] ?? "") === (r[i] ?? "")));
  const total = (): number => widths.reduce((sum, one) => sum + one, gap * (columns - 1));
  while (total() > screen) {
    const widest = widths.reduce(
      (best, one, i) => (mayGive[i] === true && one > (widths[best] ?? 0) ? i : best),
      mayGive.indexOf(true),
    );
    const now = widths[widest] ?? 0;
    if (now <= narrowest) break;
    widths[widest] = now - 1;
  }
  return rows.flatMap((row) => {
    const lines = row.map((cell, i) =>
      width(cell) > (widths[i] ?? 0) ? wrap(cell, widths[i] ?? 0).split("\n") : [cell],
    );
    const height = Math.max(1, ...lines.map((one) => one.length));
    return Array.from({ length: height }, (_, at) => lines.map((one) => one[at] ?? ""));
  });
}

/** Breaks a text at spaces so that no line passes `columns`; later lines are indented. */
export function wrap(text: string, columns: number, indent = ""): string {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && width(line) + 1 + width(word) > columns) {
      lines.push(line);
      line = indent + word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line].join("\n");
}

/** Sentences that stood each on a line of its own, given as they are shown in a line: one after the other. */
export const sentences = (shown: string): string => shown.replaceAll(/\s*\\n\s*/g, " / ");
