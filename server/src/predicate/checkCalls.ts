import type { ASTNode } from "@marcbachmann/cel-js";
import { didYouMean } from "../base/similar.ts";
import { isComparable, spoken, widened, wrong, type Checking, type Locals } from "./checking.ts";
import type { FunctionDefinition } from "./functionDefinition.ts";
import { functionDefinitions, functionsNamed, signatureOf } from "./functions.ts";
import type { Expr } from "./expr.ts";

export function callOf(
  c: Checking,
  node: ASTNode,
  name: string,
  args: readonly ASTNode[],
  locals: Locals,
): Expr {
  const [only] = args;
  if (only !== undefined && args.length === 1) {
    if (name === "size") return sizeOf(c, node, only, locals);
    if (name === "has") return hasOf(c, node, only, locals);
    if (name === "int" || name === "double" || name === "string")
      return conversionOf(c, node, name, only, locals);
  }
  return functionOf(c, node, name, args, locals, false);
}

function hasOf(c: Checking, node: ASTNode, argument: ASTNode, locals: Locals): Expr {
  const of = c.check(argument, locals);
  if (of === wrong) return wrong;
  if (!isComparable(of) || of.op === "const")
    return c.problem(node, "has(..) needs a field: has(components.tests).");
  return { op: "not", type: "bool", of: { op: "isMissing", type: "bool", of } };
}

function sizeOf(c: Checking, node: ASTNode, argument: ASTNode, locals: Locals): Expr {
  if (argument.op === "rcall" && argument.args[0] === "filter")
    return quantifierOf(c, node, "count", argument.args[1], argument.args[2], locals);
  const of = c.check(argument, locals);
  if (of === wrong) return wrong;
  if (of.type === "string") return { op: "length", type: "int", of };
  if (of.type === "turns")
    return {
      op: "quantifier",
      type: "int",
      which: "count",
      turn: "",
      body: { op: "const", type: "bool", value: true },
    };
  return c.problem(node, "size() takes a text, turns or turns.filter(..).");
}

function conversionOf(
  c: Checking,
  node: ASTNode,
  to: "int" | "double" | "string",
  argument: ASTNode,
  locals: Locals,
): Expr {
  const of = c.check(argument, locals);
  if (of === wrong || of.type === to) return of;
  if (to === "string" && of.type === "double")
    return c.problem(node, "A fraction cannot become a text: compare the number instead.");
  if (!["int", "double", "string", "bool"].includes(of.type) || (of.type === "bool" && to !== "string"))
    return c.problem(node, `${to}() does not take ${spoken[of.type]}.`);
  return { op: "convert", type: to, of };
}

export function methodOf(
  c: Checking,
  node: ASTNode,
  name: string,
  object: ASTNode,
  args: readonly ASTNode[],
  locals: Locals,
): Expr {
  if (name === "exists" || name === "all") return quantifierOf(c, node, name, object, args, locals);
  if (name === "size" && args.length === 0) return sizeOf(c, node, object, locals);
  if (name === "filter")
    return c.problem(node, "Count the turns that a filter leaves: turns.filter(t, ..).size() > 2.");
  const isUnknown = functionsNamed(name, c.scope, true).length === 0;
  // Misspelt, it still names the turn that its condition is about.
  if (isUnknown && args.length === 2 && args[0]?.op === "id") {
    quantifierOf(c, node, "exists", object, args, locals);
    return c.problem(node, unknownFunctionOf(c, name, true));
  }
  return functionOf(c, node, name, [object, ...args], locals, true);
}

function quantifierOf(
  c: Checking,
  node: ASTNode,
  which: "exists" | "all" | "count",
  object: ASTNode,
  args: readonly ASTNode[],
  locals: Locals,
): Expr {
  const over = c.check(object, locals);
  const [name, condition] = args;
  if (over === wrong) return wrong;
  if (over.type !== "turns" || name?.op !== "id" || condition === undefined || args.length !== 2)
    return c.problem(node, "Write it as turns.exists(t, <condition on t>).");
  const body = c.condition(condition, new Set([...locals, name.args]));
  return { op: "quantifier", type: which === "count" ? "int" : "bool", which, turn: name.args, body };
}

function functionOf(
  c: Checking,
  node: ASTNode,
  name: string,
  nodes: readonly ASTNode[],
  locals: Locals,
  method: boolean,
): Expr {
  const args = nodes.map((n) => c.check(n, locals));
  const candidates = functionsNamed(name, c.scope, method);
  if (candidates.length === 0) return c.problem(node, unknownFunctionOf(c, name, method));
  if (args.includes(wrong)) return wrong;
  const definition = candidates.find((f) => fits(f, args));
  if (definition === undefined) {
    const [first] = candidates;
    return c.problem(node, `Call it as ${first === undefined ? name : signatureOf(first)}.`);
  }
  const fitted = args.map((e, i) => (definition.parameters[i]?.type === "double" ? widened(e) : e));
  const computed = definition.parameters.findIndex((p, i) => p.constant === true && args[i]?.op !== "const");
  const at = nodes[computed];
  if (at !== undefined)
    return c.problem(at, `The ${definition.parameters[computed]?.name ?? "argument"} must be a constant.`);
  const mistake = definition.check?.(fitted.map((e) => (e.op === "const" ? e.value : undefined)));
  if (mistake !== undefined) return c.problem(nodes.at(-1) ?? node, mistake);
  return { op: "call", type: definition.returns, definition, args: fitted };
}

function unknownFunctionOf(c: Checking, name: string, method: boolean): string {
  const elsewhere = functionDefinitions.find((f) => f.name === name);
  if (elsewhere?.scopes !== undefined && !elsewhere.scopes.includes(c.scope))
    return `${name}() is for expressions over a ${elsewhere.scopes[0] ?? "version"}, but this one is over a ${c.scope}.`;
  if (elsewhere !== undefined) return `Call it as ${signatureOf(elsewhere)}.`;
  const known = functionDefinitions
    .filter((f) => (f.method === true) === method && (f.scopes?.includes(c.scope) ?? true))
    .map((f) => f.name)
    .concat(method ? ["exists", "all", "filter", "size"] : ["size", "has", "int", "double", "string"]);
  return `Unknown function: ${name}.${didYouMean(name, known)}`;
}

function fits(f: FunctionDefinition, args: readonly Expr[]): boolean {
  return (
    f.parameters.length === args.length &&
    f.parameters.every(({ type }, i) => {
      const of = args[i]?.type;
      return of === type || (type === "double" && of === "int");
    })
  );
}
