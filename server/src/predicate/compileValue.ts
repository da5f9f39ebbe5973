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

/** The constant first arguments with which an expression calls some functions; empty for one that does not compile. */
export function namesPassedTo(
  functions: readonly string[],
  text: string,
  scope: Scope,
  params: Params = {},
): readonly string[] {
  const checked = checkExpression(text, scope, params);
  if (!checked.ok) return [];
  const names = known.get(checked.expr) ?? namesIn(checked.expr);
  known.set(checked.expr, names);
  return [...new Set(functions.flatMap((name) => [...(names.get(name) ?? [])]))];
}

/** By function; a diagnosis asks each condition a dozen times. */
type Names = Map<string, Set<string>>;
const known = new WeakMap<Expr, Names>();

function namesIn(e: Expr, found: Names = new Map()): Names {
  if (e.op === "call") {
    const [first] = e.args;
    if (first?.op === "const" && typeof first.value === "string")
      found.set(e.definition.name, (found.get(e.definition.name) ?? new Set()).add(first.value));
  }
  for (const part of partsOf(e)) namesIn(part, found);
  return found;
}
