import { styleText } from "node:util";
import { HarnessError } from "../../base/errors.ts";

/** Exit codes of every verb. */
export const exitCodes = { success: 0, finding: 1, usage: 2 } as const;

/** Where a verb writes: its result on stdout, everything else on stderr. */
export interface Io {
  readonly json: boolean;
  readonly color: boolean;
  /** Standard error is a terminal that can redraw lines. */
  readonly live: boolean;
  readonly columns: number;
  out(text: string): void;
  err(text: string): void;
}

/** Prints a result: one JSON document with --json, otherwise the text. */
export function printResult(io: Io, value: unknown, text: () => string): void {
  io.out(io.json ? `${JSON.stringify(value, null, 2)}\n` : `${text()}\n`);
}

type Style = Parameters<typeof styleText>[0];

/** Colours a text when the terminal shows colours; status is never colour alone. */
export function paint(io: Pick<Io, "color">, style: Style, text: string): string {
  return io.color ? styleText(style, text, { validateStream: false }) : text;
}

/** Usage errors exit with 2, all other expected failures with 1. */
export function exitCodeOf(e: unknown): number {
  return HarnessError.is(e, "badInput") ? exitCodes.usage : exitCodes.finding;
}
