import { cellText, withoutOwn } from "./ownSequences.ts";

/** Width on a terminal, for text without wide characters; our colours count as nothing. */
function width(text: string): number {
  return withoutOwn(text).length;
}

/** What a text is drawn on: a terminal, whose columns it has to fit, or a file or a pipe, where a row is one line. */
export interface Screen {
  readonly terminal: boolean;
  /** Of a terminal; sentences are broken here in a file or a pipe as well. */
  readonly columns: number;
}

/**
 * Columns padded to their widest cell; those named in `right` are aligned to the right. Cells may hold colours, and each
 * is one line, whatever it holds. On a terminal that is too narrow for all columns at their narrowest, the last ones
 * follow in a table below, with the first column again.
 */
export function table(
  cells: readonly (readonly string[])[],
  right: readonly number[],
  screen: Screen,
): string {
  const rows = cells.map((row) => row.map(cellText));
  return columnSets(rows, screen)
    .map((set) =>
      laidOut(
        rows.map((row) => set.map((i) => row[i] ?? "")),
        set.flatMap((i, at) => (right.includes(i) ? [at] : [])),
        screen,
      ).join("\n"),
    )
    .join("\n\n");
}

/** The rows of a table each as a text of one or more lines, for something that stands between them; all columns stay beside each other. */
export const tableRows = (
  cells: readonly (readonly string[])[],
  right: readonly number[],
  screen: Screen,
): string[] =>
  laidOut(
    cells.map((row) => row.map(cellText)),
    right,
    screen,
  );

/** Between two columns. */
const gap = 2;
/** No column becomes narrower than this, however small the terminal is. */
const narrowest = 10;

const widthsOf = (rows: readonly (readonly string[])[]): number[] =>
  Array.from({ length: Math.max(0, ...rows.map((r) => r.length)) }, (_, i) =>
    Math.max(...rows.map((r) => width(r[i] ?? ""))),
  );

/** Which columns may become narrower: not those with colours. */
const mayGive = (rows: readonly (readonly string[])[], column: number): boolean =>
  rows.every((r) => withoutOwn(r[column] ?? "") === (r[column] ?? ""));

const widthOfAll = (widths: readonly number[]): number =>
  widths.reduce((sum, one) => sum + one, gap * (widths.length - 1));

/** The columns that stand beside each other, each set with the first one, by which a row is found. */
function columnSets(rows: readonly (readonly string[])[], { terminal, columns }: Screen): number[][] {
  const least = widthsOf(rows).map((one, i) => (mayGive(rows, i) ? Math.min(one, narrowest) : one));
  const all = [...least.keys()];
  const [first = 0, ...others] = all;
  if (!terminal || widthOfAll(least) <= columns) return [all];
  const sets: number[][] = [[first]];
  for (const i of others) {
    const set = sets.at(-1) ?? [];
    const fits = widthOfAll([...set, i].map((at) => least[at] ?? 0)) <= columns;
    if (fits || set.length === 1) set.push(i);
    else sets.push([first, i]);
  }
  return sets;
}

function laidOut(whole: readonly (readonly string[])[], right: readonly number[], screen: Screen): string[] {
  const rows = screen.terminal ? fitted(whole, screen.columns) : whole.map((row) => [row]);
  const widths = widthsOf(rows.flat());
  const line = (row: readonly string[]): string =>
    row
      .map((cell, i) => {
        const pad = " ".repeat(Math.max(0, (widths[i] ?? 0) - width(cell)));
        return right.includes(i) ? pad + cell : cell + pad;
      })
      .join(" ".repeat(gap))
      .trimEnd();
  return rows.map((lines) => lines.map(line).join("\n"));
}

/**
 * Each row as its lines on a terminal of this width: what is too wide goes on in the lines below, in its own column. The
 * widest texts give way first, the first column, by which a row is found, only after all others.
 */
function fitted(rows: readonly (readonly string[])[], screen: number): readonly (readonly string[])[][] {
  const widths = widthsOf(rows);
  const others = [...widths.keys()].slice(1).filter((i) => mayGive(rows, i));
  narrow(widths, others, screen);
  if (mayGive(rows, 0)) narrow(widths, [0], screen);
  return rows.map((row) => {
    const lines = row.map((cell, i) =>
      width(cell) > (widths[i] ?? 0) ? broken(cell, widths[i] ?? 0) : [cell],
    );
    const height = Math.max(1, ...lines.map((one) => one.length));
    return Array.from({ length: height }, (_, at) => lines.map((one) => one[at] ?? ""));
  });
}

/** Takes columns away, always from the widest of these, until the table fits or they are at their narrowest. */
function narrow(widths: number[], columns: readonly number[], screen: number): void {
  while (widthOfAll(widths) > screen) {
    const [first, ...rest] = columns;
    if (first === undefined) return;
    const widest = rest.reduce((best, i) => ((widths[i] ?? 0) > (widths[best] ?? 0) ? i : best), first);
    const now = widths[widest] ?? 0;
    if (now <= narrowest) return;
    widths[widest] = now - 1;
  }
}

/** The lines of a cell: broken at spaces, and a word that is too long where a name has a sign. Its indentation stays. */
function broken(cell: string, columns: number): string[] {
  const indent = /^ */.exec(cell)?.[0] ?? "";
  const room = Math.max(1, columns - indent.length);
  const words = cell
    .slice(indent.length)
    .split(" ")
    .flatMap((word) => pieces(word, room));
  const lines: string[] = [];
  for (const { text, joins } of words) {
    const line = lines.at(-1);
    const longer = line === undefined ? text : `${line}${joins ? "" : " "}${text}`;
    if (line === undefined || width(longer) > room) lines.push(text);
    else lines[lines.length - 1] = longer;
  }
  return lines.map((line) => indent + line);
}

/** A word in pieces of at most so many columns, none of which ends within a number; all but the first one join the piece before. */
function pieces(word: string, room: number): { readonly text: string; readonly joins: boolean }[] {
  const all: { text: string; joins: boolean }[] = [];
  let rest = word;
  while (width(rest) > room) {
    const [fitting] = /^.*(?:[-/_:,|=…]|(?<!\d)\.)/.exec(rest.slice(0, room)) ?? [];
    // No half of a character is left at the end.
    const text = fitting ?? rest.slice(0, room).replace(/(?<=.)[\ud800-\udbff]$/, "");
    all.push({ text, joins: all.length > 0 });
    rest = rest.slice(text.length);
  }
  return [...all, { text: rest, joins: all.length > 0 }];
}

/** A text of ours for a terminal: a line that is too long goes on below, further to the right. */
export function fittedText(text: string, { terminal, columns }: Screen): string {
  if (!terminal) return text;
  return text
    .split("\n")
    .map((line) => {
      // A command on a line of its own stays whole, so that it can be copied.
      if (width(line) <= columns || /^ +evotrainer /.test(line)) return line;
      const indent = /^ */.exec(line)?.[0] ?? "";
      return `${indent}${wrap(line.slice(indent.length), columns - indent.length, "  ").replaceAll("\n", `\n${indent}`)}`;
    })
    .join("\n");
}

/** Breaks a text at spaces so that no line passes `columns`; later lines are indented. A number stays with its percent sign. */
export function wrap(text: string, columns: number, indent = ""): string {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/ (?!%)/)) {
    if (line !== "" && width(line) + 1 + width(word) > columns) {
      lines.push(line);
      line = indent + word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line].join("\n");
}

/** Sentences that stood each on a line of its own, given as they are shown in a line: one after the other. */
export const sentences = (shown: string): string => shown.replaceAll(/\s*\\n\s*/g, " / ");
