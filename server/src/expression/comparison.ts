import type { ASTNode } from "@marcbachmann/cel-js";
import { equal, order } from "./compare.ts";
import type { Run } from "./frame.ts";
import { problem, type Compiled, type Scope } from "./scope.ts";
import { Failure, spokenKind, type Kind, type Range } from "./values.ts";

export type ComparisonOperator = "==" | "!=" | "<" | "<=" | ">" | ">=";

const numbers = new Set<Kind>(["int", "uint", "double"]);

/** Whether values of two known kinds can be equal, or ordered, at all. */
const isComparable = (a: Kind, b: Kind) => a === b || (numbers.has(a) && numbers.has(b));

export function compileComparison(
  node: ASTNode,
  op: ComparisonOperator,
  left: Compiled,
  right: Compiled,
  scope: Scope,
): Compiled {
  const isEquality = op === "==" || op === "!=";
  const [a, b] = [left.kind, right.kind];
  if (
    a !== undefined &&
    b !== undefined &&
    !isComparable(a, b) &&
    !(isEquality && (a === "null_type" || b === "null_type"))
  )
    return problem(scope, node, `${capital(spokenKind(a))} cannot be compared with ${spokenKind(b)}.`);
  const number = plainNumber(right.literal?.value);
  if (number !== undefined && !isEquality)
    return { run: withNumber(op, left.run, number, right.run, node), kind: "bool" };
  return {
    run: isEquality ? equality(op === "==", left, right, node) : ordering(op, left.run, right.run, node),
    kind: "bool",
  };
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** A literal that a number of JSON can be compared with without loss. */
function plainNumber(value: unknown): number | undefined {
  if (typeof value === "number") return value;
  if (typeof value !== "bigint") return undefined;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : undefined;
}

function equality(isWanted: boolean, left: Compiled, right: Compiled, at: Range): Run {
  const [l, r] = [left.run, right.run];
  const written = right.literal?.value;
  if (typeof written === "string" || typeof written === "boolean" || written === null)
    return (f) => {
      const a = l(f);
      return a instanceof Failure ? a : (a === written) === isWanted;
    };
  const number = plainNumber(written);
  return (f) => {
    const a = l(f);
    if (typeof a === "number" && number !== undefined) return (a === number) === isWanted;
    if (a instanceof Failure) return a;
    const b = r(f);
    if (b instanceof Failure) return b;
    const same = equal(a, b, at, f);
    return same instanceof Failure ? same : same === isWanted;
  };
}

type Order = "<" | "<=" | ">" | ">=";

/** Comparisons are always false for NaN, so each operator asks for itself. */
function holds(op: Order, c: number): boolean {
  switch (op) {
    case "<":
      return c < 0;
    case "<=":
      return c <= 0;
    case ">":
      return c > 0;
    case ">=":
      return c >= 0;
  }
}

const slowly = (op: Order, a: unknown, b: unknown, at: Range): boolean | Failure => {
  const c = order(a, b, at);
  return c instanceof Failure ? c : holds(op, c);
};

/** The usual case, a number of the data against one in the expression, takes one comparison of numbers. */
function withNumber(op: Order, l: Run, n: number, r: Run, at: Range): Run {
  switch (op) {
    case "<":
      return (f) => {
        const a = l(f);
        return typeof a === "number" ? a < n : slowly(op, a, r(f), at);
      };
    case "<=":
      return (f) => {
        const a = l(f);
        return typeof a === "number" ? a <= n : slowly(op, a, r(f), at);
      };
    case ">":
      return (f) => {
        const a = l(f);
        return typeof a === "number" ? a > n : slowly(op, a, r(f), at);
      };
    case ">=":
      return (f) => {
        const a = l(f);
        return typeof a === "number" ? a >= n : slowly(op, a, r(f), at);
      };
  }
}

const ordering =
  (op: Order, l: Run, r: Run, at: Range): Run =>
  (f) => {
    const [a, b] = [l(f), r(f)];
    return typeof a === "number" && typeof b === "number"
      ? holds(op, a < b ? -1 : a > b ? 1 : a === b ? 0 : NaN)
      : slowly(op, a, b, at);
  };
