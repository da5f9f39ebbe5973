export const operators = ["+", "-", "*"] as const;
export type Operator = (typeof operators)[number];

/** A number, or an operation on two expressions. */
export type Expression = number | Operation;
export interface Operation {
  readonly operator: Operator;
  readonly left: Expression;
  readonly right: Expression;
}

/** An operation whose two sides are numbers: it can be done next. */
export interface Place {
  readonly operator: Operator;
  readonly left: number;
  readonly right: number;
  /** Which sides lead to it from the root: l or r each. */
  readonly path: string;
}

export function compute(operator: Operator, left: number, right: number): number {
  switch (operator) {
    case "+":
      return left + right;
    case "-":
      return left - right;
    case "*":
      return left * right;
  }
}

export function valueOf(expression: Expression): number {
  if (typeof expression === "number") return expression;
  return compute(expression.operator, valueOf(expression.left), valueOf(expression.right));
}

export const operationsIn = (expression: Expression): number =>
  typeof expression === "number" ? 0 : 1 + operationsIn(expression.left) + operationsIn(expression.right);

/** From left to right. */
export function placesIn(expression: Expression, path = ""): Place[] {
  if (typeof expression === "number") return [];
  const { operator, left, right } = expression;
  if (typeof left === "number" && typeof right === "number") return [{ operator, left, right, path }];
  return [...placesIn(left, `${path}l`), ...placesIn(right, `${path}r`)];
}

/** The expression with a number in place of the operation at a path. */
export function replaced(expression: Expression, path: string, by: number): Expression {
  if (path === "" || typeof expression === "number") return by;
  const rest = path.slice(1);
  return path.startsWith("l")
    ? { ...expression, left: replaced(expression.left, rest, by) }
    : { ...expression, right: replaced(expression.right, rest, by) };
}

/** With brackets around every operation but the outermost. */
export function show(expression: Expression, inner = false): string {
  if (typeof expression === "number") return expression < 0 && inner ? `(${expression})` : `${expression}`;
  const text = `${show(expression.left, true)} ${expression.operator} ${show(expression.right, true)}`;
  return inner ? `(${text})` : text;
}

const isOperator = (token: string): token is Operator => operators.some((operator) => operator === token);

/** Reads what `show` wrote; throws one sentence when it is something else. */
export function parseExpression(text: string): Expression {
  const tokens = text.match(/[()]|[+*]|-?\d+|-/g) ?? [];
  let at = 0;
  const fail = (): never => {
    throw new Error(`"${text}" is not an expression with brackets around every operation.`);
  };
  const operand = (): Expression => {
    const token = tokens[at++] ?? fail();
    if (token !== "(") return /^-?\d+$/.test(token) ? Number(token) : fail();
    const inside = operation();
    return tokens[at++] === ")" ? inside : fail();
  };
  const operation = (): Expression => {
    const left = operand();
    const operator = tokens[at] ?? "";
    if (operator === "" || operator === ")") return left;
    if (!isOperator(operator)) return fail();
    at++;
    return { operator, left, right: operand() };
  };
  const whole = operation();
  return at === tokens.length ? whole : fail();
}
