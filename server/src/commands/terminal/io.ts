import { styleText } from "node:util";
import { HarnessError, type Reason } from "../../base/errors.ts";
import { jsonText, withPlainTexts } from "../../base/plainText.ts";
import { ownSequence } from "./ownSequences.ts";
import { fittedText, type Screen } from "./table.ts";

/** Exit codes of every verb; docs/command-line.md says what each means. A shell gives 130 to what Ctrl+C ended. */
export const exitCodes = { success: 0, finding: 1, usage: 2, waiting: 3, interrupted: 130 } as const;

/**
 * Where a verb writes: its result on stdout, whose screen this is, everything else on stderr. Both show what is written as text; only our own
 * sequences (`paint`) reach a terminal.
 */
export interface Io extends Screen {
  readonly json: boolean;
  readonly color: boolean;
  /** Standard error is a terminal that can redraw lines. */
  readonly live: boolean;
  out(text: string): void;
  err(text: string): void;
}

/**
 * Prints a result: one JSON document with --json, otherwise the text. The text is made of the value as it can be shown in
 * lines: no text in it has a line feed of its own. On a terminal it fits the columns; `asItIs` leaves code as it is.
 */
export function printResult<T>(
  io: Io,
  value: T,
  text: (shown: T) => string,
  { asItIs = false }: { readonly asItIs?: boolean } = {},
): void {
  const shown = (): string => text(withPlainTexts(value));
  io.out(`${io.json ? jsonText(value, 2) : asItIs ? shown() : fittedText(shown(), io)}\n`);
}

type Style = Parameters<typeof styleText>[0];

/** Colours a text when the terminal shows colours; status is never colour alone. */
export function paint(io: Pick<Io, "color">, style: Style, text: string): string {
  if (!io.color) return text;
  const [before = "", after = ""] = styleText(style, "\0", { validateStream: false }).split("\0");
  return ownSequence(before) + text + ownSequence(after);
}

/** Of the expected failures those that are not exit code 1: what was asked for is not there, waits, or was stopped. */
const codes: Partial<Record<Reason, number>> = {
  badInput: exitCodes.usage,
  notFound: exitCodes.usage,
  projectMissing: exitCodes.usage,
  gateWaiting: exitCodes.waiting,
  budgetSpent: exitCodes.waiting,
  cancelled: exitCodes.interrupted,
};

export const exitCodeOf = (e: unknown): number =>
  HarnessError.is(e) ? (codes[e.reason] ?? exitCodes.finding) : exitCodes.finding;
