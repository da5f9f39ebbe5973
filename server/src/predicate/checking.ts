import type { ASTNode } from "@marcbachmann/cel-js";
import type { CallAt, Expr } from "./expr.ts";
import type { Scope, Type, Value } from "./types.ts";

/** Stands for a part that is wrong: what is around it is checked all the same, and says nothing more about it. */
export const wrong: Expr = { op: "const", type: "null", value: null };
export const missing: Expr = { op: "const", type: "null", value: null };

export const spoken: Readonly<Record<Type, string>> = {
  bool: "a condition",
  int: "a whole number",
  double: "a number",
  string: "a text",
  null: "null",
  turns: "the turns",
  turn: "a turn",
  components: "the components",
  args: "the arguments of a call",
  call: "a call",
  version: "a version",
};

/** Names that stand for turns. */
export type Locals = ReadonlySet<string>;

/** What the parts of the check share. */
export interface Checking {
  readonly scope: Scope;
  readonly check: (node: ASTNode, locals: Locals) => Expr;
  /** A part that has to be true or false. */
  readonly condition: (node: ASTNode, locals: Locals) => Expr;
  readonly literal: (node: ASTNode, value: unknown) => Expr;
  readonly argument: (node: ASTNode, of: CallAt, key: string) => Expr;
  /** Notes a mistake, and gives what stands for the part. */
  readonly problem: (at: { readonly start: number; readonly end: number }, message: string) => Expr;
}

export const isNumber = (e: Expr): boolean => e.type === "int" || e.type === "double";
export const isComparable = (e: Expr): boolean =>
  e.type === "bool" || e.type === "int" || e.type === "double" || e.type === "string";

/** Two expressions of one type, a whole number widened to a number beside one; undefined when they do not go together. */
export function alike(a: Expr, b: Expr): readonly [Expr, Expr] | undefined {
  if (a.type === b.type || a.type === "null" || b.type === "null") return [a, b];
  return isNumber(a) && isNumber(b) ? [widened(a), widened(b)] : undefined;
}

export function widened(e: Expr): Expr {
  if (e.type !== "int") return e;
  if (e.op === "const" && typeof e.value === "bigint")
    return { op: "const", type: "double", value: Number(e.value) satisfies Value };
  return { op: "convert", type: "double", of: e };
}

export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
