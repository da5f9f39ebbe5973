import type { Facts } from "./facts.ts";
import { versionFunctions } from "./functionsVersion.ts";
import { numberFunctions } from "./functionsNumber.ts";
import { textFunctions } from "./functionsText.ts";
import { toolFunctions } from "./functionsTool.ts";
import type { Expr, Scope, Type, Value } from "./types.ts";

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
  /** Reads the rollout and not only its arguments. */
  readonly table?: "f" | "a";
  /** A sentence when the arguments, those that are constant among them, do not do. */
  readonly check?: (args: readonly Expr[]) => string | undefined;
  /** Only functions over a version have none. */
  readonly sql?: (args: readonly string[]) => string;
  readonly run: (args: readonly Exclude<Value, null>[], facts: Facts) => Value;
}

export const functionDefinitions: readonly FunctionDefinition[] = [
  ...textFunctions,
  ...numberFunctions,
  ...toolFunctions,
  ...versionFunctions,
];

/** The functions that a scope has under a name. */
export function functionsNamed(name: string, scope: Scope, method: boolean): readonly FunctionDefinition[] {
  return functionDefinitions.filter(
    (f) => f.name === name && (f.method === true) === method && (f.scopes?.includes(scope) ?? true),
  );
}

/** A function as it is written in a document: `text.contains(part: string): bool`. */
export function signatureOf({ name, method, parameters, returns }: FunctionDefinition): string {
  const written = parameters.map((p) => `${p.name}: ${p.type}`);
  const [receiver, ...rest] = written;
  return method === true
    ? `${(receiver ?? "").split(":")[0] ?? ""}.${name}(${rest.join(", ")}): ${returns}`
    : `${name}(${written.join(", ")}): ${returns}`;
}
