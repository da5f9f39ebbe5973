import { actionNames } from "../../evidence/contract/actions.ts";
import { functionDefinitions, signatureOf } from "../../predicate/functions.ts";
import type { Scope, Type } from "../../predicate/types.ts";
import { messageFunctions } from "../../evidence/mapping/messageFunctions.ts";

/** A function as it is offered and explained. */
export type Callable = {
  readonly name: string;
  readonly method: boolean;
  /** What stands between the parentheses: the receiver of a method is not among it. */
  readonly parameters: readonly string[];
  readonly signature: string;
  readonly doc: string;
  /** Type of what a method is written behind. */
  readonly receiver?: Type;
  /** What the first argument names, where it is a name of the project's. */
  readonly names?: "label" | "metric" | "tool" | "action";
};

const turnsOnly = { method: true, receiver: "turns" } as const;

/** Forms that are part of the language itself. */
const builtins: readonly (Callable & { readonly scopes?: readonly Scope[] })[] = [
  {
    name: "exists",
    ...turnsOnly,
    parameters: ["t", "condition"],
    signature: "turns.exists(t, condition): bool",
    doc: "Whether the condition holds for a turn, called t in it.",
    scopes: ["rollout", "turn"],
  },
  {
    name: "all",
    ...turnsOnly,
    parameters: ["t", "condition"],
    signature: "turns.all(t, condition): bool",
    doc: "Whether the condition holds for every turn, called t in it.",
    scopes: ["rollout", "turn"],
  },
  {
    name: "filter",
    ...turnsOnly,
    parameters: ["t", "condition"],
    signature: "turns.filter(t, condition).size(): int",
    doc: "The turns for which the condition holds; size() counts them.",
    scopes: ["rollout", "turn"],
  },
  {
    name: "size",
    method: false,
    parameters: ["of"],
    signature: "size(of: string | turns): int",
    doc: "Code points of a text, or how many turns there are.",
  },
  {
    name: "size",
    method: true,
    parameters: [],
    signature: "of.size(): int",
    doc: "Code points of a text, or how many turns there are.",
  },
  {
    name: "has",
    method: false,
    parameters: ["field"],
    signature: "has(field): bool",
    doc: "Whether a field has a value: has(components.tests).",
  },
  ...(["int", "double", "string"] as const).map((name) => ({
    name,
    method: false,
    parameters: ["of"],
    signature: `${name}(of): ${name}`,
    doc: `The value as ${name === "string" ? "a text" : name === "int" ? "a whole number" : "a number"}.`,
  })),
];

const labelFunctions = new Set(["rate", "rate_low", "rate_high", "parent_rate"]);

function namesOf(name: string, parameter: string | undefined): Callable["names"] {
  if (parameter === "metric" || parameter === "tool" || parameter === "action") return parameter;
  return labelFunctions.has(name) ? "label" : undefined;
}

const defined: readonly (Callable & { readonly scopes?: readonly Scope[] })[] = functionDefinitions.map(
  (f) => {
    const all = f.parameters.map((p) => p.name);
    const names = namesOf(f.name, all[0]);
    const [receiver] = f.parameters;
    return {
      name: f.name,
      method: f.method === true,
      parameters: f.method === true ? all.slice(1) : all,
      signature: signatureOf(f),
      doc: f.doc,
      ...(f.method === true && receiver && { receiver: receiver.type }),
      ...(names && { names }),
      ...(f.scopes && { scopes: f.scopes }),
    };
  },
);

/** The functions of the predicate language that a scope has. */
export function callables(scope: Scope): readonly Callable[] {
  return [...builtins, ...defined].filter(({ scopes }) => scopes?.includes(scope) ?? true);
}

/** The functions that mapping files add to CEL. */
export const mappingCallables: readonly Callable[] = Object.entries(messageFunctions).map(
  ([name, { arity }]) => ({
    name,
    method: false,
    parameters: Array.from({ length: arity[1] }, (_, i) => (i === 0 ? "value" : `argument ${i + 1}`)),
    signature: `${name}(${Array.from({ length: arity[1] }, (_, i) => (i === 0 ? "value" : `argument ${i + 1}`)).join(", ")})`,
    doc: "A function of mapping files: docs/mapping.md.",
  }),
);

/** Values that the contract names, by the variable that has them. */
export const namedValues: Readonly<Record<string, readonly string[]>> = {
  outcome: ["pass", "fail", "unknown"],
  split: ["train", "selection"],
  role: ["system", "user", "assistant", "tool"],
  action: actionNames,
};
