import type { ASTNode } from "@marcbachmann/cel-js";
import {
  alike,
  capital,
  isComparable,
  isNumber,
  missing,
  spoken,
  widened,
  wrong,
  type Checking,
  type Locals,
} from "./checking.ts";
import type { Expr } from "./expr.ts";
import type { ArithmeticSign, ComparisonSign } from "./types.ts";

export function negatedOf(c: Checking, node: ASTNode, inner: ASTNode, locals: Locals): Expr {
  // The lowest whole number is written as the negative of one that is too large by itself.
  if (inner.op === "value" && typeof inner.args === "bigint") return c.literal(node, -inner.args);
  const of = c.check(inner, locals);
  if (of === wrong) return wrong;
  if (of.type === "int" || of.type === "double") return { op: "negate", type: of.type, of };
  return c.problem(node, `${capital(spoken[of.type])} cannot be negated.`);
}

export function choiceOf(
  c: Checking,
  node: ASTNode,
  [a, b, other]: readonly [ASTNode, ASTNode, ASTNode],
  locals: Locals,
): Expr {
  const [when, then, otherwise] = [c.condition(a, locals), c.check(b, locals), c.check(other, locals)];
  if (then === wrong || otherwise === wrong || when === wrong) return wrong;
  const same = alike(then, otherwise);
  if (same === undefined)
    return c.problem(
      node,
      `Both sides of ?: must be of the same kind, not ${spoken[then.type]} and ${spoken[otherwise.type]}.`,
    );
  return {
    op: "choose",
    type: same[0].type === "null" ? same[1].type : same[0].type,
    when,
    then: same[0],
    other: same[1],
  };
}

export function arithmeticOf(
  c: Checking,
  node: ASTNode,
  sign: ArithmeticSign,
  a: ASTNode,
  b: ASTNode,
  locals: Locals,
): Expr {
  const [left, right] = [c.check(a, locals), c.check(b, locals)];
  if (left === wrong || right === wrong) return wrong;
  if (sign === "+" && left.type === "string" && right.type === "string")
    return { op: "arithmetic", type: "string", sign, left, right };
  const same = isNumber(left) && isNumber(right) ? alike(left, right) : undefined;
  if (same === undefined)
    return c.problem(node, `${sign} needs two numbers, not ${spoken[left.type]} and ${spoken[right.type]}.`);
  const type = same[0].type === "double" ? "double" : "int";
  if (sign === "%" && type === "double") return c.problem(node, "% needs whole numbers.");
  return { op: "arithmetic", type, sign, left: same[0], right: same[1] };
}

export function comparisonOf(
  c: Checking,
  node: ASTNode,
  sign: ComparisonSign,
  a: ASTNode,
  b: ASTNode,
  locals: Locals,
): Expr {
  const [left, right] = [c.check(a, locals), c.check(b, locals)];
  if (left === wrong || right === wrong) return wrong;
  const equality = sign === "==" || sign === "!=";
  if (equality && (left === missing || right === missing)) {
    const of = left === missing ? right : left;
    const isMissing: Expr = { op: "isMissing", type: "bool", of };
    if (!isComparable(of) && of !== missing)
      return c.problem(node, `${capital(spoken[of.type])} is never null.`);
    return sign === "==" ? isMissing : { op: "not", type: "bool", of: isMissing };
  }
  const same = isComparable(left) && isComparable(right) ? alike(left, right) : undefined;
  if (same === undefined)
    return c.problem(node, `${capital(spoken[left.type])} cannot be compared with ${spoken[right.type]}.`);
  return { op: "compare", type: "bool", sign, left: same[0], right: same[1] };
}

export function membershipOf(c: Checking, node: ASTNode, a: ASTNode, b: ASTNode, locals: Locals): Expr {
  const needle = c.check(a, locals);
  if (b.op !== "list") {
    const of = c.check(b, locals);
    if (
      of.op === "turnField" &&
      of.type === "args" &&
      needle.op === "const" &&
      typeof needle.value === "string"
    ) {
      const argument = c.argument(a, of, needle.value);
      return argument === wrong
        ? wrong
        : { op: "not", type: "bool", of: { op: "isMissing", type: "bool", of: argument } };
    }
    if (needle === wrong || of === wrong) return wrong;
    if (of.type === "components" && needle.type === "string")
      return { op: "hasComponent", type: "bool", key: needle };
    return c.problem(node, "`in` needs a list in brackets, or components.");
  }
  const list = b.args.map((part) => ({ part, e: c.check(part, locals) }));
  if (needle === wrong || list.some(({ e }) => e === wrong)) return wrong;
  const fitted: Expr[] = [];
  for (const { part, e } of list) {
    const same = isComparable(needle) && isComparable(e) ? alike(needle, e) : undefined;
    if (same === undefined)
      return c.problem(part, `${capital(spoken[needle.type])} cannot be compared with ${spoken[e.type]}.`);
    fitted.push(same[1]);
  }
  // A whole number among fractions makes all of them fractions.
  const double = needle.type === "double" || fitted.some((e) => e.type === "double");
  return double && needle.type !== "null"
    ? { op: "in", type: "bool", needle: widened(needle), list: fitted.map(widened) }
    : { op: "in", type: "bool", needle, list: fitted };
}
