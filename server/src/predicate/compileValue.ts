import { checkExpression, type Params } from "./check.ts";
import type { Facts } from "./facts.ts";
import { toClosure } from "./toClosure.ts";
import { partsOf, type Expr } from "./expr.ts";
import type { PredicateProblem, Scope, Type, Value } from "./types.ts";

/** An expression of any type as a closure. */
export interface CompiledValue {
  readonly type: Type;
  readonly value: (facts: Facts) => Value;
}

export type ValueResult =
  | { readonly ok: true; readonly compiled: CompiledValue }
  | { readonly ok: false; readonly problems: readonly PredicateProblem[] };

/** Compiles an expression that gives a number, a text or a truth value. Never throws on bad input. */
export function compileValue(text: string, scope: Scope, params: Params = {}): ValueResult {
  const checked = checkExpression(text, scope, params);
  if (!checked.ok) return checked;
  const { expr } = checked;
  if (!["bool", "int", "double", "string"].includes(expr.type)) {
    const message = "This is neither a number nor a text.";
    return { ok: false, problems: [{ start: 0, end: text.length, message }] };
  }
  return { ok: true, compiled: { type: expr.type, value: toClosure(expr) } };
}

/** The constant first arguments with which an expression calls a function; empty for one that does not compile. */
export function namesPassedTo(
  functionName: string,
  text: string,
  scope: Scope,
  params: Params = {},
): readonly string[] {
  const checked = checkExpression(text, scope, params);
  return checked.ok ? [...namesIn(checked.expr, functionName)] : [];
}

function namesIn(e: Expr, functionName: string, found = new Set<string>()): Set<string> {
  if (e.op === "call" && e.definition.name === functionName) {
    const [first] = e.args;
    if (first?.op === "const" && typeof first.value === "string") found.add(first.value);
  }
  for (const part of partsOf(e)) namesIn(part, functionName, found);
  return found;
}
