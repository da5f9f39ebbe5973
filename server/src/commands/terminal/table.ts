import { cellText, withoutOwn } from "./ownSequences.ts";

/** Width on a terminal, for text without wide characters; our colours count as nothing. */
function width(text: string): number {
  return withoutOwn(text).length;
}

/**
 * Columns padded to their widest cell; those named in `right` are aligned to the right. Cells may hold colours, and each
 * is one line, whatever it holds.
 */
export function table(cells: readonly (readonly string[])[], right: readonly number[] = []): string {
  const rows = cells.map((row) => row.map(cellText));
  const columns = Math.max(0, ...rows.map((r) => r.length));
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
