/**
 * The mini language of the generated repositories. A function is a header and two to four statements:
 *   let NAME = EXPR · if TERM CMP TERM : return EXPR · return EXPR
 * EXPR is TERM (BINARY TERM)*, evaluated from left to right without precedence; TERM is an optional unary word and
 * a name, an integer or a "quoted" string. Anything that cannot be computed gives an error value, never an exception.
 */
export type Value = number | string;
export type Outcome = { readonly value: Value } | { readonly error: string };

export const comparisons = ["<", "<=", ">", ">=", "==", "!="] as const;
export const binaries = ["+", "-", "*", "/", "%", "max", "min", "++", "take", "drop"] as const;
export const unaries = ["upper", "lower", "reverse", "trim", "first", "last", "abs", "neg", "len"] as const;
export const constants = ["0", "1", "2", "3", "10", "100"] as const;

const comparisonSet: ReadonlySet<string> = new Set(comparisons);
const binarySet: ReadonlySet<string> = new Set(binaries);
const unarySet: ReadonlySet<string> = new Set(unaries);

export interface SourceFunction {
  readonly name: string;
  readonly parameters: readonly string[];
  /** Statement tokens, one list per line. */
  readonly body: readonly (readonly string[])[];
}

export function tokenize(line: string): string[] {
  return line.trim().split(/\s+/);
}

type Scope = Map<string, Value>;
class Failure extends Error {}

function operand(token: string | undefined, scope: Scope): Value {
  if (token === undefined) throw new Failure("the expression ends early");
  const bound = scope.get(token);
  if (bound !== undefined) return bound;
  if (/^\d+$/.test(token)) return Number(token);
  if (token.startsWith('"') && token.endsWith('"')) return token.slice(1, -1);
  throw new Failure(`unknown name ${token}`);
}

function applyText(op: string, x: string): Value | undefined {
  switch (op) {
    case "upper":
      return x.toUpperCase();
    case "lower":
      return x.toLowerCase();
    case "reverse":
      return Array.from(x).reverse().join("");
    case "trim":
      return x.trim();
    case "first":
      return x.slice(0, 1);
    case "last":
      return x.slice(-1);
    case "len":
      return x.length;
    default:
      return undefined;
  }
}

function unary(op: string, x: Value): Value {
  const result =
    typeof x === "string"
      ? applyText(op, x)
      : op === "abs"
        ? Math.abs(x)
        : op === "neg"
          ? x === 0
            ? 0
            : -x
          : undefined;
  if (result === undefined) throw new Failure(`${op} does not take a ${typeof x}`);
  return result;
}

function arithmetic(op: string, x: number, y: number): number | undefined {
  switch (op) {
    case "+":
      return x + y;
    case "-":
      return x - y;
    case "*":
      return x * y;
    case "/":
      if (y === 0) throw new Failure("division by zero");
      return Math.floor(x / y);
    case "%":
      if (y === 0) throw new Failure("division by zero");
      return ((x % y) + y) % y;
    case "max":
      return Math.max(x, y);
    case "min":
      return Math.min(x, y);
    default:
      return undefined;
  }
}

function binary(op: string, x: Value, y: Value): Value {
  if (op === "++") return `${x}${y}`;
  if (typeof x === "number" && typeof y === "number") {
    const result = arithmetic(op, x, y);
    if (result !== undefined) return result;
  }
  if (typeof x === "string" && typeof y === "number") {
    if (op === "take") return x.slice(0, Math.max(0, y));
    if (op === "drop") return x.slice(Math.max(0, y));
  }
  throw new Failure(`${op} does not take ${typeof x} and ${typeof y}`);
}

function compare(op: string, x: Value, y: Value): boolean {
  if (op === "==") return x === y;
  if (op === "!=") return x !== y;
  if (typeof x !== typeof y) throw new Failure(`${op} does not take ${typeof x} and ${typeof y}`);
  switch (op) {
    case "<":
      return x < y;
    case "<=":
      return x <= y;
    case ">":
      return x > y;
    default:
      return x >= y;
  }
}

/** Reads the term at `at`; answers its value and where it ends. */
function term(tokens: readonly string[], at: number, scope: Scope): [Value, number] {
  const token = tokens[at];
  if (token !== undefined && unarySet.has(token))
    return [unary(token, operand(tokens[at + 1], scope)), at + 2];
  return [operand(token, scope), at + 1];
}

function expression(tokens: readonly string[], from: number, scope: Scope): Value {
  let [value, at] = term(tokens, from, scope);
  while (at < tokens.length) {
    const op = tokens[at];
    if (op === undefined || !binarySet.has(op)) throw new Failure(`unexpected ${String(op)}`);
    const [right, next] = term(tokens, at + 1, scope);
    value = binary(op, value, right);
    at = next;
  }
  return value;
}

/** Runs one statement; answers the returned value, or undefined to go on. */
function statement(tokens: readonly string[], scope: Scope): Value | undefined {
  const keyword: string = tokens[0] ?? "";
  switch (keyword) {
    case "return":
      return expression(tokens, 1, scope);
    case "let": {
      scope.set(tokens[1] ?? "", expression(tokens, 3, scope));
      return undefined;
    }
    case "if": {
      const [left, at] = term(tokens, 1, scope);
      const op = tokens[at] ?? "";
      if (!comparisonSet.has(op)) throw new Failure(`unexpected ${op}`);
      const [right, colon] = term(tokens, at + 1, scope);
      return compare(op, left, right) ? expression(tokens, colon + 2, scope) : undefined;
    }
    default:
      throw new Failure(`unknown statement ${keyword}`);
  }
}

/** Calls a function; missing arguments, type errors and division by zero give an error outcome. */
export function callFunction(fn: SourceFunction, args: readonly Value[]): Outcome {
  const scope: Scope = new Map();
  fn.parameters.forEach((name, i) => {
    const value = args[i];
    if (value !== undefined) scope.set(name, value);
  });
  try {
    for (const tokens of fn.body) {
      const value = statement(tokens, scope);
      if (value !== undefined) return { value };
    }
    return { error: "no value returned" };
  } catch (e) {
    if (e instanceof Failure) return { error: e.message };
    throw e;
  }
}
