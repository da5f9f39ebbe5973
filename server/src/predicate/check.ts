import type { ASTNode } from "@marcbachmann/cel-js";
import { parseExpression } from "../expression/parse.ts";
import { Remembered } from "../base/remembered.ts";
import { didYouMean } from "../base/similar.ts";
import { callOf, methodOf } from "./checkCalls.ts";
import { spoken, missing, wrong, type Checking, type Locals } from "./checking.ts";
import { arithmeticOf, choiceOf, comparisonOf, membershipOf, negatedOf } from "./checkOperators.ts";
import type { CallAt, Expr } from "./expr.ts";
import type { PredicateProblem, Scope } from "./types.ts";
import { callFields, turnFields, variablesOf } from "./variables.ts";

/** Numbers by name that a spec gives and a project overrides; an expression reads them as `params.name`. */
export type Params = Readonly<Record<string, number>>;

export type Checked =
  | { readonly ok: true; readonly expr: Expr }
  | { readonly ok: false; readonly problems: readonly PredicateProblem[] };

/** Names of trainers for what every rollout has. */
const elsewhere: ReadonlyMap<string, string> = new Map([
  ["score", "reward"],
  ["rewards", "reward"],
  ["finish_reason", "stop_reason"],
  ["num_turns", "n_turns"],
]);

const remembered = new Remembered<Checked>(2000);

/** Parses an expression and resolves it: all mistakes at once, except that a text that does not parse has only one. */
export function checkExpression(text: string, scope: Scope, params: Params = {}): Checked {
  const key = JSON.stringify([text, scope, params]);
  return remembered.of(key, () => check(text, scope, params));
}

function check(text: string, scope: Scope, params: Params): Checked {
  const parsed = parseExpression(text);
  if (!parsed.ok) return { ok: false, problems: [parsed.problem] };
  const checker = new Checker(scope, params);
  const expr = checker.check(parsed.ast, new Set(scope === "turn" ? ["turn"] : []));
  const { problems } = checker;
  return problems.length === 0
    ? { ok: true, expr }
    : { ok: false, problems: problems.sort((a, b) => a.start - b.start || a.end - b.end) };
}

class Checker implements Checking {
  readonly problems: PredicateProblem[] = [];
  readonly scope: Scope;
  readonly #params: Params;

  constructor(scope: Scope, params: Params) {
    this.scope = scope;
    this.#params = params;
  }

  check(node: ASTNode, locals: Locals): Expr {
    switch (node.op) {
      case "value":
        return this.literal(node, node.args);
      case "id":
        return this.#name(node, node.args, locals);
      case ".":
        return this.#member(node, node.args[0], node.args[1], locals);
      case "[]":
        return this.#index(node, node.args[0], node.args[1], locals);
      case "&&":
      case "||":
        return {
          op: node.op === "&&" ? "and" : "or",
          type: "bool",
          left: this.condition(node.args[0], locals),
          right: this.condition(node.args[1], locals),
        };
      case "!_":
        return { op: "not", type: "bool", of: this.condition(node.args, locals) };
      case "-_":
        return negatedOf(this, node, node.args, locals);
      case "?:":
        return choiceOf(this, node, node.args, locals);
      case "+":
      case "-":
      case "*":
      case "/":
      case "%":
        return arithmeticOf(this, node, node.op, node.args[0], node.args[1], locals);
      case "==":
      case "!=":
      case "<":
      case "<=":
      case ">":
      case ">=":
        return comparisonOf(this, node, node.op, node.args[0], node.args[1], locals);
      case "in":
        return membershipOf(this, node, node.args[0], node.args[1], locals);
      case "call":
        return callOf(this, node, node.args[0], node.args[1], locals);
      case "rcall":
        return methodOf(this, node, node.args[0], node.args[1], node.args[2], locals);
      case "list":
      case "map":
        return this.problem(
          node,
          'A list is allowed only after `in`: `stop_reason in ["success", "partial"]`.',
        );
      case ".?":
      case "[?]":
        return this.problem(
          node,
          "A value that may be missing needs no ?: compare it with null, or use has(..).",
        );
    }
  }

  problem({ start, end }: { readonly start: number; readonly end: number }, message: string): Expr {
    this.problems.push({ start, end: Math.max(end, start + 1), message });
    return wrong;
  }

  literal(node: ASTNode, value: unknown): Expr {
    if (typeof value === "string")
      return value.includes("\0")
        ? this.problem(node, "A text cannot contain a NUL character.")
        : { op: "const", type: "string", value };
    if (typeof value === "bigint")
      return BigInt.asIntN(64, value) === value
        ? { op: "const", type: "int", value }
        : this.problem(node, "A whole number has at most 64 bits.");
    if (typeof value === "number")
      return Number.isFinite(value)
        ? { op: "const", type: "double", value }
        : this.problem(node, "This number is too large.");
    if (typeof value === "boolean") return { op: "const", type: "bool", value };
    if (value === null) return missing;
    return this.problem(
      node,
      "Bytes and unsigned numbers are not allowed here: evidence has text and numbers.",
    );
  }

  #name(node: ASTNode, name: string, locals: Locals): Expr {
    if (locals.has(name)) return { op: "variable", type: "turn", of: "this", variable: turnVariable(name) };
    const known = variablesOf(this.scope);
    const variable = known.find((v) => v.name === name);
    if (variable !== undefined) return { op: "variable", type: variable.type, variable, of: "this" };
    if (name === "parent" && this.scope === "version")
      return this.problem(node, "Name a value of the parent: parent.score.");
    if (name === "params") return this.problem(node, "Name a parameter: params.name.");
    return this.problem(
      node,
      `Unknown variable: ${name}.${this.#calledHere(name) ?? didYouMean(name, [...known.map((v) => v.name), ...locals])}`,
    );
  }

  /** What trainers call something else than conditions do. */
  #calledHere(name: string): string | undefined {
    const here = this.scope === "rollout" ? elsewhere.get(name) : undefined;
    return here === undefined ? undefined : ` What trainers call ${name} is ${here} here.`;
  }

  #member(node: ASTNode, object: ASTNode, field: string, locals: Locals): Expr {
    if (object.op === "id" && !locals.has(object.args)) {
      if (object.args === "params") return this.#param(node, field);
      if (object.args === "parent" && this.scope === "version") return this.#ofParent(node, field);
    }
    const answering = this.#answering(object, locals);
    if (answering !== undefined) return this.#callField(node, answering, field);
    const o = this.check(object, locals);
    const key: Expr = { op: "const", type: "string", value: field };
    if (o === wrong) return wrong;
    if (o.type === "turn" && o.op === "variable") return this.#turnField(node, o.variable.name, field);
    if (o.type === "components") return { op: "component", type: "double", key };
    if (o.type === "args" && o.op === "turnField") return this.argument(node, o, field);
    return this.problem(lastName(node, field), `There is no field ${field} in ${spoken[o.type]}.`);
  }

  #param(node: ASTNode, name: string): Expr {
    const value = Object.hasOwn(this.#params, name) ? this.#params[name] : undefined;
    if (value === undefined)
      return this.problem(
        node,
        `There is no parameter ${name}; name it with its default under params.${didYouMean(name, Object.keys(this.#params))}`,
      );
    return Number.isSafeInteger(value)
      ? { op: "const", type: "int", value: BigInt(value) }
      : { op: "const", type: "double", value };
  }

  #ofParent(node: ASTNode, name: string): Expr {
    const known = variablesOf(this.scope);
    const variable = known.find((v) => v.name === name);
    return variable === undefined
      ? this.problem(
          node,
          `Unknown variable: parent.${name}.${didYouMean(
            name,
            known.map((v) => v.name),
          )}`,
        )
      : { op: "variable", type: variable.type, variable, of: "parent" };
  }

  #turnField(node: ASTNode, turn: string, name: string): Expr {
    if (name === "answers")
      return this.problem(node, `Name a value of the call that the turn answers: ${turn}.answers.tool.`);
    const field = turnFields.find((f) => f.name === name);
    return field === undefined
      ? this.problem(
          lastName(node, name),
          `A turn has no field ${name}.${didYouMean(
            name,
            turnFields.map((f) => f.name),
          )}`,
        )
      : { op: "turnField", type: field.type, turn, field };
  }

  /** The turn of which the answered call is read, in `t.answers`. */
  #answering(node: ASTNode, locals: Locals): string | undefined {
    if (node.op !== "." || node.args[1] !== "answers") return undefined;
    const [object] = node.args;
    return object.op === "id" && locals.has(object.args) ? object.args : undefined;
  }

  #callField(node: ASTNode, turn: string, name: string): Expr {
    const field = callFields.find((f) => f.name === name);
    return field === undefined
      ? this.problem(
          lastName(node, name),
          `The call that a turn answers has no field ${name}.${didYouMean(
            name,
            callFields.map((f) => f.name),
          )}`,
        )
      : { op: "turnField", type: field.type, turn, field, answered: true };
  }

  argument(node: ASTNode, { turn, answered }: CallAt, key: string): Expr {
    return key.includes('"') || key.includes("\\")
      ? this.problem(node, "An argument's name cannot contain a double quote or a backslash.")
      : { op: "argument", type: "string", turn, key, ...(answered === undefined ? {} : { answered }) };
  }

  #index(node: ASTNode, object: ASTNode, key: ASTNode, locals: Locals): Expr {
    const o = this.check(object, locals);
    const k = this.check(key, locals);
    if (o === wrong || k === wrong) return wrong;
    if (k.type === "string" && o.type === "components") return { op: "component", type: "double", key: k };
    if (o.type === "args" && o.op === "turnField") {
      if (k.op === "const" && typeof k.value === "string") return this.argument(node, o, k.value);
      return this.problem(key, 'Write out the name of the argument: turn.args["path"].');
    }
    return this.problem(
      node,
      o.type === "turns"
        ? "To look at turns use turns.exists(t, ..), for example with t.index == 0."
        : "Only components and args take a name in brackets.",
    );
  }

  /** A part that has to be true or false. */
  condition(node: ASTNode, locals: Locals): Expr {
    const e = this.check(node, locals);
    if (e === wrong || e.type === "bool") return e;
    return this.problem(node, `This must be a condition, not ${spoken[e.type]}.`);
  }
}

/** The range of a field's name at the end of a member expression. */
const lastName = ({ end }: ASTNode, name: string): { start: number; end: number } => ({
  start: Math.max(0, end - name.length),
  end,
});

function turnVariable(name: string) {
  return { name, type: "turn", doc: "A turn.", table: "r", fields: [] } as const;
}
