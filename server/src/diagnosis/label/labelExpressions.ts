import type { DiagnosticSpec } from "../../../../shared/spec/diagnostic.ts";
import type { Params } from "../../predicate/check.ts";
import { compilePredicate } from "../../predicate/compile.ts";
import type { PredicateProblem, Scope } from "../../predicate/types.ts";
import { compileMessage } from "./message.ts";

export const expressionKeys = ["when", "evidence", "critical", "message"] as const;
export type ExpressionKey = (typeof expressionKeys)[number];

/** What an expression of a label is over. */
export function scopeOf(key: ExpressionKey, over: DiagnosticSpec["over"]): Scope {
  if (key === "message") return "version";
  return key === "evidence" ? "turn" : over;
}

/** What is wrong with one expression of a label, with ranges in its text; empty when it can be used. */
export function expressionProblems(
  key: ExpressionKey,
  text: string,
  over: DiagnosticSpec["over"],
  params: Params,
): readonly PredicateProblem[] {
  if (key === "message") {
    const message = compileMessage(text, params);
    return message.ok ? [] : message.problems;
  }
  const compiled = compilePredicate(text, scopeOf(key, over), params);
  return compiled.ok ? [] : compiled.problems;
}
