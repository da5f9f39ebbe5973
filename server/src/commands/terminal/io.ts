import { styleText } from "node:util";
import { HarnessError } from "../../base/errors.ts";
import { jsonText, withPlainTexts } from "../../base/plainText.ts";
import { ownSequence } from "./ownSequences.ts";

/** Exit codes of every verb. */
export const exitCodes = { success: 0, finding: 1, usage: 2 } as const;

/**
 * Where a verb writes: its result on stdout, everything else on stderr. Both show what is written as text; only our own
 * sequences (`paint`) reach a terminal.
 */
export interface Io {
  readonly json: boolean;
  readonly color: boolean;
  /** Standard error is a terminal that can redraw lines. */
  readonly live: boolean;
  readonly columns: number;
  out(text: string): void;
  err(text: string): void;
}

/**
 * Prints a result: one JSON document with --json, otherwise the text. The text is made of the value as it can be shown in
 * lines: no text in it has a line feed of its own.
 */
export function printResult<T>(io: Io, value: T, text: (shown: T) => string): void {
  io.out(`${io.json ? jsonText(value, 2) : text(withPlainTexts(value))}\n`);
}

type Style = Parameters<typeof styleText>[0];

/** Colours a text when the terminal shows colours; status is never colour alone. */
export function paint(io: Pick<Io, "color">, style: Style, text: string): string {
  if (!io.color) return text;
  const [before = "", after = ""] = styleText(style, "\0", { validateStream: false }).split("\0");
  return ownSequence(before) + text + ownSequence(after);
}

/** Usage errors exit with 2, all other expected failures with 1. */
export function exitCodeOf(e: unknown): number {
  return HarnessError.is(e, "badInput") ? exitCodes.usage : exitCodes.finding;
}
