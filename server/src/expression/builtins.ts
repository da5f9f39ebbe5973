import type { Frame } from "./frame.ts";
import { Failure, spokenKindOf, wholeNumber, type Kind, type Range } from "./values.ts";

/** A function of the language: how many arguments it takes (the receiver of a method counts) and what it gives. */
export interface Builtin {
  readonly arity: readonly [min: number, max: number];
  /** The kind of its result where it is always the same. */
  readonly gives?: Kind;
  /** Arguments are never failures; a failure may be returned. Must not throw. */
  readonly run: (args: readonly unknown[], at: Range, frame: Frame) => unknown;
}

export type Builtins = Readonly<Record<string, Builtin>>;

/** A function of one argument. */
export const unary = (run: (value: unknown, at: Range, frame: Frame) => unknown, gives?: Kind): Builtin => ({
  arity: [1, 1],
  ...(gives && { gives }),
  run: ([value], at, frame) => run(value, at, frame),
});

/** What a text function needs that did not get a string. */
export const needsString = (name: string, value: unknown, at: Range): Failure =>
  new Failure(at, `${name} needs a string, not ${spokenKindOf(value)}.`);

/** An optional whole number among the arguments; a failure when there is one that is none. */
export function countArgument(name: string, value: unknown, otherwise: number, at: Range): number | Failure {
  if (value === undefined) return otherwise;
  return (
    wholeNumber(value) ?? new Failure(at, `${name} needs a whole number here, not ${spokenKindOf(value)}.`)
  );
}
