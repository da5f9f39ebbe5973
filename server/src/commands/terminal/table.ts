import { stripVTControlCharacters } from "node:util";

/** Width on a terminal, for text without wide characters; escape sequences count as nothing. */
function width(text: string): number {
  return stripVTControlCharacters(text).length;
}

/** Columns padded to their widest cell; those named in `right` are aligned to the right. Cells may hold colours. */
export function table(rows: readonly (readonly string[])[], right: readonly number[] = []): string {
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

/**
 * Makes text from evidence or logs safe to show: no control characters or escape sequences, which a terminal would act
 * on, and no bidirectional overrides, which would show it in another order.
 */
export function printable(text: string): string {
  return stripVTControlCharacters(text).replaceAll(
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g,
    "�",
  );
}
