/** What an expression is over: one rollout, one turn of it, the rollouts of a group, or all evidence of a version. */
export type Scope = "rollout" | "turn" | "group" | "version";

/** Types of the language. Every value may also be missing (null), whatever its type. */
export type Type =
  | "bool"
  | "int"
  | "double"
  | "string"
  | "null"
  | "turns"
  | "turn"
  | "components"
  | "args"
  | "call"
  | "version";

/** A value of a closure. Whole numbers are 64 bits wide; a double is never NaN or infinite. */
export type Value = boolean | bigint | number | string | null;

/** A mistake in an expression; `start` and `end` are UTF-16 offsets in its text. */
export interface PredicateProblem {
  readonly start: number;
  readonly end: number;
  readonly message: string;
}

export type ArithmeticSign = "+" | "-" | "*" | "/" | "%";
export type ComparisonSign = "==" | "!=" | "<" | "<=" | ">" | ">=";
