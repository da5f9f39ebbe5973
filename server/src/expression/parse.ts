import { Environment, type ASTNode } from "@marcbachmann/cel-js";
import type { ExpressionProblem } from "./values.ts";

let environment: Environment | undefined;

/** The parser alone: the library's own evaluator is never called, because its patterns can hang. */
function parser(): Environment {
  environment ??= new Environment({
    unlistedVariablesAreDyn: true,
    enableOptionalTypes: true,
    limits: { maxAstNodes: 2000, maxDepth: 64 },
  });
  return environment;
}

export type Parsed =
  { readonly ok: true; readonly ast: ASTNode } | { readonly ok: false; readonly problem: ExpressionProblem };

/** The syntax tree of an expression. Never throws; there is at most one problem, where the text breaks off. */
export function parseExpression(text: string): Parsed {
  try {
    return { ok: true, ast: parser().parse(text).ast };
  } catch (e) {
    return { ok: false, problem: problemOf(e, text) };
  }
}

function problemOf(e: unknown, text: string): ExpressionProblem {
  const whole = { start: 0, end: text.length };
  if (!(e instanceof Error)) return { ...whole, message: String(e) };
  const summary = "summary" in e && typeof e.summary === "string" ? e.summary : e.message.split("\n", 1)[0];
  const range = "range" in e && isRange(e.range) ? e.range : whole;
  return {
    start: Math.min(range.start, Math.max(0, text.length - 1)),
    end: Math.max(range.end, range.start + 1),
    message: `${summary === undefined || summary === "" ? "Not a CEL expression" : summary}.`,
  };
}

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
