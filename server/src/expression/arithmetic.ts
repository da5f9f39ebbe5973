import { spend, tooLong, type Frame } from "./frame.ts";
import { Duration, Failure, isList, spokenKindOf, Timestamp, Uint, type Range } from "./values.ts";

const minInt = -(2n ** 63n);
const maxInt = 2n ** 63n - 1n;
const maxUint = 2n ** 64n - 1n;

/** An int64, or the failure when it does not fit. */
export const asInt = (value: bigint, at: Range): bigint | Failure =>
  value >= minInt && value <= maxInt
    ? value
    : new Failure(at, "The number does not fit into an int (64 bits).");

export const asUint = (value: bigint, at: Range): Uint | Failure =>
  value >= 0n && value <= maxUint
    ? new Uint(value)
    : new Failure(at, "The number does not fit into a uint (64 bits, not negative).");

export type ArithmeticOperator = "+" | "-" | "*" | "/" | "%";

const words: Readonly<Record<ArithmeticOperator, string>> = {
  "+": "added",
  "-": "subtracted",
  "*": "multiplied",
  "/": "divided",
  "%": "divided",
};

/**
 * CEL's arithmetic, and one thing more: numbers of JSON are doubles that may meet an int. An int with a double gives a
 * double; `%` takes doubles without a fraction. So `1` and `1.0` in a file mean the same.
 */
export function arithmetic(op: ArithmeticOperator, a: unknown, b: unknown, at: Range, frame: Frame): unknown {
  if (a instanceof Failure) return a;
  if (b instanceof Failure) return b;
  if (typeof a === "bigint" && typeof b === "bigint") return onIntegers(op, a, b, at, asInt);
  if (isPlainNumber(a) && isPlainNumber(b)) return onDoubles(op, Number(a), Number(b), at);
  if (a instanceof Uint && b instanceof Uint) return onIntegers(op, a.value, b.value, at, asUint);
  if (op === "+" || op === "-") {
    const result = op === "+" ? joined(a, b, at, frame) : timeDifference(a, b);
    if (result !== undefined) return result;
  }
  return new Failure(at, `${sentenceStart(spokenKindOf(a))} and ${spokenKindOf(b)} cannot be ${words[op]}.`);
}

const isPlainNumber = (value: unknown): value is number | bigint =>
  typeof value === "number" || typeof value === "bigint";
const sentenceStart = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

function onIntegers(
  op: ArithmeticOperator,
  a: bigint,
  b: bigint,
  at: Range,
  checked: (value: bigint, at: Range) => unknown,
): unknown {
  switch (op) {
    case "+":
      return checked(a + b, at);
    case "-":
      return checked(a - b, at);
    case "*":
      return checked(a * b, at);
    case "/":
      return b === 0n ? new Failure(at, "Division by zero.") : checked(a / b, at);
    case "%":
      return b === 0n ? new Failure(at, "Division by zero.") : checked(a % b, at);
  }
}

function onDoubles(op: ArithmeticOperator, a: number, b: number, at: Range): number | Failure {
  switch (op) {
    case "+":
      return a + b;
    case "-":
      return a - b;
    case "*":
      return a * b;
    case "/":
      return a / b;
    case "%":
      if (!Number.isSafeInteger(a) || !Number.isSafeInteger(b))
        return new Failure(at, "% needs whole numbers.");
      return b === 0 ? new Failure(at, "Division by zero.") : a % b;
  }
}

function joined(a: unknown, b: unknown, at: Range, frame: Frame): unknown {
  if (typeof a === "string" && typeof b === "string") return tooLong(a.length + b.length, at) ?? a + b;
  if (isList(a) && isList(b)) return spend(frame, a.length + b.length, at) ?? [...a, ...b];
  if (a instanceof Uint8Array && b instanceof Uint8Array) {
    const failure = tooLong(a.length + b.length, at);
    if (failure) return failure;
    const bytes = new Uint8Array(a.length + b.length);
    bytes.set(a);
    bytes.set(b, a.length);
    return bytes;
  }
  if (a instanceof Duration && b instanceof Duration) return new Duration(a.ms + b.ms);
  if (a instanceof Timestamp && b instanceof Duration) return new Timestamp(a.ms + b.ms);
  if (a instanceof Duration && b instanceof Timestamp) return new Timestamp(a.ms + b.ms);
  return undefined;
}

function timeDifference(a: unknown, b: unknown): unknown {
  if (a instanceof Timestamp && b instanceof Timestamp) return new Duration(a.ms - b.ms);
  if (a instanceof Timestamp && b instanceof Duration) return new Timestamp(a.ms - b.ms);
  if (a instanceof Duration && b instanceof Duration) return new Duration(a.ms - b.ms);
  return undefined;
}

/** The minus sign in front of a value. */
export function negated(value: unknown, at: Range): unknown {
  if (typeof value === "number") return -value;
  if (typeof value === "bigint") return asInt(-value, at);
  if (value instanceof Failure) return value;
  return new Failure(at, `Only a number can be negated, not ${spokenKindOf(value)}.`);
}
