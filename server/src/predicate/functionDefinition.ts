import type { Facts } from "./facts.ts";
import type { Scope, Type, Value } from "./types.ts";

export interface Parameter {
  readonly name: string;
  readonly type: Type;
  /** The argument has to be written out, so that it is known before anything runs. */
  readonly constant?: true;
}

/**
 * A function in both of its forms, side by side, because they have to agree. Neither is asked when an argument is missing:
 * the result is missing then.
 */
export interface FunctionDefinition {
  readonly name: string;
  /** Written behind its first argument: `text.contains("x")`. */
  readonly method?: true;
  readonly parameters: readonly Parameter[];
  readonly returns: Type;
  /** The scopes that have it; all when left out. */
  readonly scopes?: readonly Scope[];
  readonly doc: string;
  /** Fields of the evidence contract that it reads. */
  readonly fields?: readonly string[];
  /** What it comes to where none of them is recorded; left out where it has no value then. */
  readonly unrecorded?: Exclude<Value, null>;
  /** Takes much longer than reading a column. */
  readonly dear?: true;
  /** Reads the rollout and not only its arguments. */
  readonly table?: "f" | "a";
  /** A sentence when the arguments do not do, of which it gets those that are written out. */
  readonly check?: (args: readonly (Value | undefined)[]) => string | undefined;
  /** Only functions over a version have none. */
  readonly sql?: (args: readonly string[]) => string;
  readonly run: (args: readonly Exclude<Value, null>[], facts: Facts) => Value;
}
