/** Kinds of instructions. A number follows those that take one. */
export const kinds = [
  "add",
  "subtract",
  "times",
  "negate",
  "keep even",
  "keep odd",
  "keep above",
  "keep below",
  "sort",
  "reverse",
  "take",
  "drop",
  "halve",
  "sum",
  "largest",
  "smallest",
  "count",
  "first",
] as const;
export type Kind = (typeof kinds)[number];

export interface Instruction {
  readonly kind: Kind;
  readonly number: number;
}

/** Hard-coded: what a program gives for one input, whatever its instructions say. */
export interface SpecialCase {
  readonly input: readonly number[];
  readonly output: Value;
}

export interface Program {
  readonly cases: readonly SpecialCase[];
  readonly instructions: readonly Instruction[];
}

export type Value = number | readonly number[];
export type Failure = "empty list" | "not a list" | "too many steps";
export type Outcome = { readonly value: Value } | { readonly error: Failure };

/** Steps that a program may take on one input. */
const mostSteps = 200;

const takesNumber: ReadonlySet<Kind> = new Set([
  "add",
  "subtract",
  "times",
  "keep above",
  "keep below",
  "take",
  "drop",
]);

export const showInstruction = ({ kind, number }: Instruction): string =>
  takesNumber.has(kind) ? `${kind} ${number}` : kind;

export const showValue = (value: Value): string =>
  typeof value === "number" ? `${value}` : `[${value.join(", ")}]`;

/** Lines of a program as a person reads them. */
export const showProgram = ({ cases, instructions }: Program): string[] => [
  ...cases.map(({ input, output }) => `when ${showValue(input)} give ${showValue(output)}`),
  ...instructions.map(showInstruction),
];

class Stopped extends Error {
  readonly failure: Failure;
  constructor(failure: Failure) {
    super(failure);
    this.failure = failure;
  }
}

/** Halves a number until it is odd, which 0 never is. */
function halved(value: number, step: () => void): number {
  let left = value;
  while (left % 2 === 0) {
    step();
    left /= 2;
  }
  return left;
}

function folded(kind: Kind, list: readonly number[]): number {
  if (kind === "sum") return list.reduce((total, n) => total + n, 0);
  if (kind === "count") return list.length;
  const [first] = list;
  if (first === undefined) throw new Stopped("empty list");
  if (kind === "first") return first;
  return kind === "largest" ? Math.max(...list) : Math.min(...list);
}

/** What an instruction makes of a list. */
function applied({ kind, number }: Instruction, list: readonly number[], step: () => void): Value {
  switch (kind) {
    case "add":
      return list.map((n) => n + number);
    case "subtract":
      return list.map((n) => n - number);
    case "times":
      return list.map((n) => n * number);
    case "negate":
      return list.map((n) => 0 - n);
    case "keep even":
      return list.filter((n) => n % 2 === 0);
    case "keep odd":
      return list.filter((n) => n % 2 !== 0);
    case "keep above":
      return list.filter((n) => n > number);
    case "keep below":
      return list.filter((n) => n < number);
    case "sort":
      return list.toSorted((a, b) => a - b);
    case "reverse":
      return list.toReversed();
    case "take":
      return list.slice(0, number);
    case "drop":
      return list.slice(number);
    case "halve":
      return list.map((n) => halved(n, step));
    case "sum":
    case "largest":
    case "smallest":
    case "count":
    case "first":
      return folded(kind, list);
  }
}

/** Runs a program on one input. */
export function run({ cases, instructions }: Program, input: readonly number[]): Outcome {
  const special = cases.find((one) => showValue(one.input) === showValue(input));
  if (special !== undefined) return { value: special.output };
  let steps = 0;
  const step = (): void => {
    if (++steps > mostSteps) throw new Stopped("too many steps");
  };
  try {
    let value: Value = input;
    for (const instruction of instructions) {
      if (typeof value === "number") throw new Stopped("not a list");
      value = applied(instruction, value, step);
    }
    return { value };
  } catch (e) {
    if (e instanceof Stopped) return { error: e.failure };
    throw e;
  }
}
