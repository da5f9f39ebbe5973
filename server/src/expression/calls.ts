import type { ASTNode } from "@marcbachmann/cel-js";
import type { Builtin, Builtins } from "./builtins.ts";
import { compileBind, compileMacro, isMacro } from "./comprehension.ts";
import { compilePattern } from "./regex.ts";
import { problem, type Compiled, type Scope } from "./scope.ts";
import { Failure } from "./values.ts";

type Compile = (node: ASTNode, scope: Scope) => Compiled;

/** Names that people bring along from other languages, and what CEL says instead. */
const elsewhere: Readonly<Record<string, string>> = {
  min: "math.least(a, b)",
  max: "math.greatest(a, b)",
  abs: "math.abs(x)",
  round: "math.round(x)",
  floor: "math.floor(x)",
  ceil: "math.ceil(x)",
  sqrt: "math.sqrt(x)",
  len: "size(x)",
  length: "size(x)",
  count: "size(x.filter(e, ..))",
  str: "string(x)",
  float: "double(x)",
  number: "double(x)",
  lower: "x.lowerAscii()",
  upper: "x.upperAscii()",
  tolowercase: "x.lowerAscii()",
  touppercase: "x.upperAscii()",
  strip: "x.trim()",
  includes: "x.contains(y), or y in x",
  any: "x.exists(e, ..)",
  some: "x.exists(e, ..)",
  get: "x[?key].orValue(y)",
};

function unknownFunction(node: ASTNode, name: string, isMethod: boolean, scope: Scope): Compiled {
  const known = Object.keys(isMethod ? scope.methods : scope.functions);
  const bare = name.toLowerCase().replaceAll("_", "");
  const same = known.find((one) => one.toLowerCase() === bare);
  const hint = same ?? elsewhere[bare];
  if (hint !== undefined) return problem(scope, node, `There is no function ${name}; write ${hint}.`);
  if (!isMethod && (Object.hasOwn(scope.methods, name) || isMacro(name)))
    return problem(scope, node, `${name} is called on a value: write x.${name}(..).`);
  if (isMethod && Object.hasOwn(scope.functions, name))
    return problem(scope, node, `${name} is called with its value inside: write ${name}(x).`);
  return problem(scope, node, `There is no function ${name}.`);
}

const find = (table: Builtins, name: string): Builtin | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;

/** A function called by its name. */
export function compileCall(
  node: ASTNode,
  name: string,
  args: readonly ASTNode[],
  scope: Scope,
  compile: Compile,
): Compiled {
  const builtin = find(scope.functions, name);
  const parts = args.map((arg) => compile(arg, scope));
  if (builtin === undefined) return unknownFunction(node, name, false, scope);
  if (name === "matches") checkPattern(args[1], parts[1], scope);
  return apply(node, name, builtin, parts, scope);
}

/** A function called on a value, a macro, or a function with its namespace such as math.abs. */
export function compileMethod(
  node: ASTNode,
  call: { readonly name: string; readonly target: ASTNode; readonly args: readonly ASTNode[] },
  scope: Scope,
  compile: Compile,
): Compiled {
  const { name, target, args } = call;
  if (target.op === "id" && !scope.roots.has(target.args) && !scope.locals.has(target.args)) {
    if (target.args === "cel" && name === "bind") return compileBind(node, args, scope, compile);
    const path = `${target.args}.${name}`;
    const builtin = find(scope.functions, path);
    if (builtin !== undefined) {
      const parts = args.map((arg) => compile(arg, scope));
      if (target.args === "regex") checkPattern(args[1], parts[1], scope);
      return apply(node, path, builtin, parts, scope);
    }
    if (Object.keys(scope.functions).some((known) => known.startsWith(`${target.args}.`)))
      return problem(scope, node, `There is no function ${path}.`);
  }
  if (isMacro(name)) return compileMacro(node, call, scope, compile);
  const builtin = find(scope.methods, name);
  const parts = [target, ...args].map((arg) => compile(arg, scope));
  if (builtin === undefined) return unknownFunction(node, name, true, scope);
  if (name === "matches") checkPattern(args[0], parts[1], scope);
  return apply(node, name, builtin, parts, scope, 1);
}

/** A pattern that stands in the expression is compiled now, so that a wrong one is seen before there is data. */
function checkPattern(at: ASTNode | undefined, part: Compiled | undefined, scope: Scope): void {
  const pattern = part?.literal?.value;
  if (at === undefined || typeof pattern !== "string") return;
  const compiled = compilePattern(pattern);
  if (typeof compiled === "string") problem(scope, at, compiled);
}

function apply(
  node: ASTNode,
  name: string,
  { arity: [min, max], run, gives }: Builtin,
  parts: readonly Compiled[],
  scope: Scope,
  receivers = 0,
): Compiled {
  if (parts.length < min || parts.length > max) {
    const [least, most] = [min - receivers, max - receivers];
    const wanted = least === most ? `${least}` : `${least} to ${most}`;
    const noun = wanted === "1" ? "argument" : "arguments";
    return problem(scope, node, `${name} takes ${wanted} ${noun}, not ${parts.length - receivers}.`);
  }
  const runs = parts.map((part) => part.run);
  return {
    kind: gives,
    run: (frame) => {
      const values: unknown[] = [];
      for (const part of runs) {
        const value = part(frame);
        if (value instanceof Failure) return value;
        values.push(value);
      }
      return run(values, node, frame);
    },
  };
}
