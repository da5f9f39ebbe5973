import type { ASTNode } from "@marcbachmann/cel-js";
import { hasKey, index, optionalIndex, optionalSelect, select } from "./access.ts";
import { arithmetic, asInt, asUint, negated, type ArithmeticOperator } from "./arithmetic.ts";
import { compileCall, compileMethod } from "./calls.ts";
import { contained } from "./compare.ts";
import { compileComparison, type ComparisonOperator } from "./comparison.ts";
import { expectBool, problem, type Compiled, type Scope } from "./scope.ts";
import {
  Failure,
  kindOf,
  mapKey,
  spokenKind,
  spokenKindOf,
  TypeValue,
  type Kind,
  type MapKey,
} from "./values.ts";

/**
 * The syntax tree of an expression as a tree of closures: no code is made from text, and nothing that the data holds
 * makes them throw. What is wrong goes to `scope.problems`, all of it, not only the first.
 */
export function compileClosure(node: ASTNode, scope: Scope): Compiled {
  switch (node.op) {
    case "value":
      return literal(node, node.args, scope);
    case "id":
      return identifier(node, node.args, scope);
    case ".":
      return member(node, node.args[0], node.args[1], scope);
    case ".?": {
      const [object, key] = [compileClosure(node.args[0], scope).run, node.args[1]];
      return { run: (f) => optionalSelect(object(f), key, node), kind: "optional_type" };
    }
    case "[]":
    case "[?]": {
      const [object, key] = both(node.args, scope);
      const read = node.op === "[]" ? index : optionalIndex;
      return { run: (f) => read(object.run(f), key.run(f), node) };
    }
    case "&&":
    case "||":
      return logic(node, node.args, node.op === "||", scope);
    case "!_":
      return not(node, node.args, scope);
    case "-_":
      return minus(node, node.args, scope);
    case "?:":
      return ternary(node.args, scope);
    case "+":
    case "-":
    case "*":
    case "/":
    case "%":
      return calculation(node, node.op, node.args, scope);
    case "==":
    case "!=":
    case "<":
    case "<=":
    case ">":
    case ">=":
      return comparison(node, node.op, node.args, scope);
    case "in": {
      const [needle, container] = both(node.args, scope);
      return membership(node, needle, container);
    }
    case "list":
      return list(node, node.args, scope);
    case "map":
      return map(node, node.args, scope);
    case "call":
      return node.args[0] === "has"
        ? has(node, node.args[1], scope)
        : compileCall(node, node.args[0], node.args[1], scope, compileClosure);
    case "rcall":
      return compileMethod(
        node,
        { name: node.args[0], target: node.args[1], args: node.args[2] },
        scope,
        compileClosure,
      );
  }
}

const both = ([a, b]: readonly [ASTNode, ASTNode], scope: Scope): [Compiled, Compiled] => [
  compileClosure(a, scope),
  compileClosure(b, scope),
];

const constant = (value: unknown): Compiled => ({
  run: () => value,
  kind: kindOf(value),
  literal: { value },
});

function literal(node: ASTNode, value: unknown, scope: Scope): Compiled {
  const known = literalValue(node, value);
  return known instanceof Failure ? problem(scope, node, known.message) : constant(known);
}

/** The parser has a class of its own for uint, and does not check that an int fits. */
function literalValue(node: ASTNode, value: unknown): unknown {
  if (typeof value === "bigint") return asInt(value, node);
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return value;
  return "value" in value && typeof value.value === "bigint"
    ? asUint(value.value, node)
    : new Failure(node, "There is no such literal.");
}

const typeNames = new Map<string, Kind>([
  ["bool", "bool"],
  ["int", "int"],
  ["uint", "uint"],
  ["double", "double"],
  ["string", "string"],
  ["bytes", "bytes"],
  ["list", "list"],
  ["map", "map"],
  ["null_type", "null_type"],
  ["type", "type"],
  ["optional_type", "optional_type"],
]);

function identifier(node: ASTNode, name: string, scope: Scope): Compiled {
  const slot = scope.locals.get(name);
  if (slot !== undefined) return { run: (f) => f.locals[slot] };
  if (scope.roots.has(name)) return root(node, name);
  const type = typeNames.get(name);
  if (type !== undefined) return constant(new TypeValue(type));
  const known = [...scope.roots, ...scope.locals.keys()];
  const hint = known.length > 0 && known.length <= 12 ? ` Known here: ${known.join(", ")}.` : "";
  return problem(scope, node, `Unknown variable: ${name}.${hint}`);
}

function root(node: ASTNode, name: string): Compiled {
  const missing = new Failure(node, `${name} is missing.`);
  if (name in Object.prototype)
    return {
      run: ({ roots }) => (Object.hasOwn(roots, name) ? (roots[name] ?? null) : missing),
    };
  return {
    run: ({ roots }) => {
      const value = roots[name];
      return value === undefined ? missing : value;
    },
  };
}

function member(node: ASTNode, object: ASTNode, key: string, scope: Scope): Compiled {
  const { run } = compileClosure(object, scope);
  if (key in Object.prototype) return { run: (f) => select(run(f), key, node) };
  return {
    // An object of JSON inherits nothing under this key, so that reading it is enough.
    run: (f) => {
      const from = run(f);
      const value = isPlain(from) ? from[key] : undefined;
      return value === undefined ? select(from, key, node) : value;
    },
  };
}

const isPlain = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;

function has(node: ASTNode, args: readonly ASTNode[], scope: Scope): Compiled {
  const [field] = args;
  if (args.length !== 1 || field?.op !== ".")
    return problem(scope, field ?? node, "has needs a field: has(record.field).");
  const [object, key] = field.args;
  const { run } = compileClosure(object, scope);
  return { run: (f) => hasKey(run(f), key, node), kind: "bool" };
}

const notBool = (value: unknown, at: ASTNode): Failure =>
  value instanceof Failure
    ? value
    : new Failure(at, `This must be true or false, not ${spokenKindOf(value)}.`);

/** A side that decides absorbs an error of the other one, whichever comes first. */
function logic(node: ASTNode, sides: readonly [ASTNode, ASTNode], decides: boolean, scope: Scope): Compiled {
  const [left, right] = both(sides, scope);
  for (const [i, part] of [left, right].entries())
    expectBool(
      scope,
      part,
      sides[i === 0 ? 0 : 1],
      decides ? "A side of ||" : "A side of &&",
      spokenKind(part.kind),
    );
  const [l, r] = [left.run, right.run];
  return {
    kind: "bool",
    run: (f) => {
      const a = l(f);
      if (a === decides) return decides;
      const b = r(f);
      if (b === decides) return decides;
      if (typeof a !== "boolean") return notBool(a, sides[0]);
      return typeof b === "boolean" ? !decides : notBool(b, sides[1]);
    },
  };
}

function not(node: ASTNode, operand: ASTNode, scope: Scope): Compiled {
  const part = compileClosure(operand, scope);
  expectBool(scope, part, operand, "What follows !", spokenKind(part.kind));
  const { run } = part;
  return {
    kind: "bool",
    run: (f) => {
      const value = run(f);
      return typeof value === "boolean" ? !value : notBool(value, node);
    },
  };
}

function minus(node: ASTNode, operand: ASTNode, scope: Scope): Compiled {
  // The smallest int has no positive counterpart, so the sign belongs to the literal.
  if (operand.op === "value" && typeof operand.args === "bigint") return literal(node, -operand.args, scope);
  const { run, kind, literal: written } = compileClosure(operand, scope);
  if (written !== undefined) return literal(node, negated(written.value, node), scope);
  return { run: (f) => negated(run(f), node), kind: kind === "double" || kind === "int" ? kind : undefined };
}

function ternary([when, then, other]: readonly [ASTNode, ASTNode, ASTNode], scope: Scope): Compiled {
  const condition = compileClosure(when, scope);
  expectBool(scope, condition, when, "The condition before ?", spokenKind(condition.kind));
  const [a, b] = both([then, other], scope);
  const [c, x, y] = [condition.run, a.run, b.run];
  return {
    kind: a.kind === b.kind ? a.kind : undefined,
    run: (f) => {
      const chosen = c(f);
      return chosen === true ? x(f) : chosen === false ? y(f) : notBool(chosen, when);
    },
  };
}

const arithmeticKinds = new Set<Kind>(["int", "double", "uint"]);

function calculation(
  node: ASTNode,
  op: ArithmeticOperator,
  sides: readonly [ASTNode, ASTNode],
  scope: Scope,
): Compiled {
  const [left, right] = both(sides, scope);
  const [a, b] = [left.kind, right.kind];
  const isKnown = a !== undefined && b !== undefined;
  const isNumeric = isKnown && arithmeticKinds.has(a) && arithmeticKinds.has(b);
  const hasTime = a?.startsWith("google.") === true || b?.startsWith("google.") === true;
  if (isKnown && !isNumeric && !hasTime && (op !== "+" || a !== b || a === "bool" || a === "null_type"))
    return problem(scope, node, `${op} is not defined for ${spokenKind(a)} and ${spokenKind(b)}.`);
  const [l, r] = [left.run, right.run];
  return {
    kind: isKnown && a === b && !hasTime ? a : undefined,
    run: (f) => arithmetic(op, l(f), r(f), node, f),
  };
}

function comparison(
  node: ASTNode,
  op: ComparisonOperator,
  sides: readonly [ASTNode, ASTNode],
  scope: Scope,
): Compiled {
  const [left, right] = both(sides, scope);
  return compileComparison(node, op, left, right, scope);
}

function membership(node: ASTNode, needle: Compiled, container: Compiled): Compiled {
  const [x, y] = [needle.run, container.run];
  const words = container.literal?.value;
  // A set of strings answers for a string; anything else is compared one by one.
  const texts =
    Array.isArray(words) && words.every((word) => typeof word === "string")
      ? new Set<unknown>(words)
      : undefined;
  return {
    kind: "bool",
    run: (f) => {
      const value = x(f);
      if (value instanceof Failure) return value;
      if (texts !== undefined && typeof value === "string") return texts.has(value);
      const within = y(f);
      return within instanceof Failure ? within : contained(value, within, node, f);
    },
  };
}

function list(_: ASTNode, elements: readonly ASTNode[], scope: Scope): Compiled {
  const parts = elements.map((element) => compileClosure(element, scope));
  const written = parts.map(({ literal: part }) => part);
  if (written.every((part) => part !== undefined)) {
    // One list for all evaluations: nothing changes a list in place.
    return constant(written.map((part) => part.value));
  }
  const runs = parts.map(({ run }) => run);
  return {
    kind: "list",
    run: (f) => {
      const values: unknown[] = [];
      for (const run of runs) {
        const value = run(f);
        if (value instanceof Failure) return value;
        values.push(value);
      }
      return values;
    },
  };
}

function map(node: ASTNode, entries: readonly (readonly [ASTNode, ASTNode])[], scope: Scope): Compiled {
  const parts = entries.map(([key, value]) => ({
    key: compileClosure(key, scope).run,
    value: compileClosure(value, scope).run,
    at: key,
  }));
  return {
    kind: "map",
    run: (f) => {
      const made = new Map<MapKey, unknown>();
      for (const part of parts) {
        const key = part.key(f);
        if (key instanceof Failure) return key;
        const known = typeof key === "number" ? undefined : mapKey(key);
        if (known === undefined)
          return new Failure(
            part.at,
            `The key of a map is a string, an int or a bool, not ${spokenKindOf(key)}.`,
          );
        if (made.has(known)) return new Failure(part.at, "This key appears twice.");
        const value = part.value(f);
        if (value instanceof Failure) return value;
        made.set(known, value);
      }
      return made;
    },
  };
}
