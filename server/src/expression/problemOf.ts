import type { ExpressionProblem } from "./values.ts";

/**
 * What an error of the parser or of the type check says of an expression. Where the text breaks off, the range begins
 * behind its last character.
 */
export function problemOf(e: unknown, text: string): ExpressionProblem {
  const whole = { start: 0, end: text.length };
  if (!(e instanceof Error)) return { ...whole, message: String(e) };
  const summary = "summary" in e && typeof e.summary === "string" ? e.summary : e.message.split("\n", 1)[0];
  const range = "range" in e && isRange(e.range) ? e.range : whole;
  return {
    start: range.start,
    end: Math.max(range.end, range.start + 1),
    message: `${summary === undefined || summary === "" ? "Not a CEL expression" : plain(summary)}.`,
  };
}

/** The parser's words where a person would not use them. */
const plain = (summary: string): string =>
  summary === "Unexpected token: EOF"
    ? "Something is missing at the end: the expression breaks off"
    : summary;

function isRange(value: unknown): value is { start: number; end: number } {
  return (
    typeof value === "object" &&
    value !== null &&
    "start" in value &&
    "end" in value &&
    typeof value.start === "number" &&
    typeof value.end === "number"
  );
}
