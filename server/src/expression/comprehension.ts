import type { ASTNode } from "@marcbachmann/cel-js";
import { spend, type Frame, type Run } from "./frame.ts";
import { problem, withLocal, type Compiled, type Scope } from "./scope.ts";
import { Failure, isList, isRecord, none, Optional, spokenKindOf, type Range } from "./values.ts";

type Compile = (node: ASTNode, scope: Scope) => Compiled;

/** One loop: what it goes over, where its variable lies, and what is asked of each element. */
interface Loop {
  readonly over: Run;
  readonly slot: number;
  readonly body: Run;
  /** The third argument of map. */
  readonly then: Run | undefined;
  readonly at: Range;
}

const arities: Readonly<Record<string, readonly number[]>> = {
  all: [2],
  exists: [2],
  exists_one: [2],
  existsOne: [2],
  filter: [2],
  map: [2, 3],
  optMap: [2],
  optFlatMap: [2],
};

export const isMacro = (name: string): boolean => Object.hasOwn(arities, name);

/** A macro called on a list (its elements), a map (its keys) or an optional. */
export function compileMacro(
  node: ASTNode,
  {
    name,
    target,
    args,
  }: { readonly name: string; readonly target: ASTNode; readonly args: readonly ASTNode[] },
  outer: Scope,
  compile: Compile,
): Compiled {
  const over = compile(target, outer);
  const [variable, first, second] = args;
  if (arities[name]?.includes(args.length) !== true || first === undefined)
    return problem(
      outer,
      node,
      `${name} is written ${name}(x, ..) with a name for each element and an expression.`,
    );
  if (variable?.op !== "id")
    return problem(outer, variable ?? node, `The first argument of ${name} is a name for each element.`);
  const { scope, slot } = withLocal(outer, variable.args);
  const body = compile(first, scope);
  const wantsBool = !/^(opt|map$)/.test(name) || second !== undefined;
  if (wantsBool && body.kind !== undefined && body.kind !== "bool")
    problem(outer, first, `The condition of ${name} must be true or false.`);
  const then = second && compile(second, scope).run;
  const loop: Loop = { over: over.run, slot, body: body.run, then, at: node };
  switch (name) {
    case "all":
      return { run: quantifier(loop, false), kind: "bool" };
    case "exists":
      return { run: quantifier(loop, true), kind: "bool" };
    case "exists_one":
    case "existsOne":
      return { run: existsOne(loop), kind: "bool" };
    case "filter":
      return { run: filter(loop), kind: "list" };
    case "map":
      return { run: map(loop), kind: "list" };
    default:
      return { run: optMap(loop, name === "optFlatMap"), kind: "optional_type" };
  }
}

function elementsOf(value: unknown, at: Range): readonly unknown[] | Failure {
  if (isList(value)) return value;
  if (value instanceof Failure) return value;
  if (value instanceof Map) {
    const map: ReadonlyMap<unknown, unknown> = value;
    return [...map.keys()];
  }
  if (isRecord(value)) return Object.keys(value);
  return new Failure(at, `A list or a map is needed here, not ${spokenKindOf(value)}.`);
}

const notBool = (value: unknown, at: Range): Failure =>
  value instanceof Failure
    ? value
    : new Failure(at, `The condition must be true or false, not ${spokenKindOf(value)}.`);

/** all (decided by the first false) and exists (by the first true): a decision absorbs errors of other elements. */
function quantifier({ over, slot, body, at }: Loop, decides: boolean): Run {
  return (frame) => {
    const elements = elementsOf(over(frame), at);
    if (elements instanceof Failure) return elements;
    const { locals } = frame;
    let failure: Failure | undefined;
    for (const element of elements) {
      if (--frame.steps < 0) return spend(frame, 0, at);
      locals[slot] = element;
      const holds = body(frame);
      if (holds === decides) return decides;
      if (typeof holds !== "boolean") failure ??= notBool(holds, at);
    }
    return failure ?? !decides;
  };
}

function existsOne({ over, slot, body, at }: Loop): Run {
  return (frame) => {
    const elements = elementsOf(over(frame), at);
    if (elements instanceof Failure) return elements;
    let count = 0;
    for (const element of elements) {
      if (--frame.steps < 0) return spend(frame, 0, at);
      frame.locals[slot] = element;
      const holds = body(frame);
      if (typeof holds !== "boolean") return notBool(holds, at);
      if (holds) count++;
    }
    return count === 1;
  };
}

function filter({ over, slot, body, at }: Loop): Run {
  return (frame) => {
    const elements = elementsOf(over(frame), at);
    if (elements instanceof Failure) return elements;
    const kept: unknown[] = [];
    for (const element of elements) {
      if (--frame.steps < 0) return spend(frame, 0, at);
      frame.locals[slot] = element;
      const holds = body(frame);
      if (typeof holds !== "boolean") return notBool(holds, at);
      if (holds) kept.push(element);
    }
    return kept;
  };
}

/** map(x, f) and map(x, condition, f). */
function map({ over, slot, body, then, at }: Loop): Run {
  return (frame) => {
    const elements = elementsOf(over(frame), at);
    if (elements instanceof Failure) return elements;
    const made: unknown[] = [];
    for (const element of elements) {
      if (--frame.steps < 0) return spend(frame, 0, at);
      frame.locals[slot] = element;
      let value = body(frame);
      if (then !== undefined) {
        if (value === false) continue;
        if (value !== true) return notBool(value, at);
        value = then(frame);
      }
      if (value instanceof Failure) return value;
      made.push(value);
    }
    return made;
  };
}

function optMap({ over, slot, body, at }: Loop, isFlat: boolean): Run {
  return (frame: Frame) => {
    const value = over(frame);
    if (value instanceof Failure) return value;
    if (!(value instanceof Optional))
      return new Failure(at, `optMap needs an optional, such as record.?field, not ${spokenKindOf(value)}.`);
    if (!value.present) return none;
    frame.locals[slot] = value.value;
    const made = body(frame);
    if (made instanceof Failure) return made;
    if (!isFlat) return new Optional(true, made);
    return made instanceof Optional
      ? made
      : new Failure(at, "optFlatMap needs an expression whose result is an optional.");
  };
}

/** `cel.bind(name, value, expression)`: a name for a value that is used more than once. */
export function compileBind(
  node: ASTNode,
  args: readonly ASTNode[],
  outer: Scope,
  compile: Compile,
): Compiled {
  const [variable, value, inner] = args;
  if (variable?.op !== "id" || value === undefined || inner === undefined || args.length !== 3)
    return problem(outer, node, "cel.bind is written cel.bind(name, value, expression).");
  const bound = compile(value, outer).run;
  const { scope, slot } = withLocal(outer, variable.args);
  const { run, kind } = compile(inner, scope);
  return {
    kind,
    run: (frame) => {
      const result = bound(frame);
      if (result instanceof Failure) return result;
      frame.locals[slot] = result;
      return run(frame);
    },
  };
}
