import { Environment, type ASTNode } from "@marcbachmann/cel-js";
import { problemOf } from "../expression/problemOf.ts";
import type { ExpressionProblem } from "../expression/values.ts";

/** Types of the diagnostic language, a subset of CEL's. */
export type CelType = "bool" | "int" | "double" | "string" | "map" | "turn" | "turns" | "list" | "null";

export interface Variable {
  readonly name: string;
  readonly cel: string;
  readonly doc: string;
}

/** One variable per field of the evidence contract (shared/model/rollout.ts), plus what is derived from its turns. */
export const rolloutVariables: readonly Variable[] = [
  { name: "id", cel: "string", doc: "Rollout id, unique within its run." },
  { name: "run", cel: "string", doc: "The run that produced it." },
  { name: "split", cel: "string", doc: "train, selection or audit." },
  { name: "step", cel: "int", doc: "Training step at which it was sampled." },
  { name: "item", cel: "string", doc: "The task instance." },
  { name: "group", cel: "string", doc: "The rollouts it is compared with." },
  { name: "sample", cel: "int", doc: "Index within the group." },
  { name: "outcome", cel: "string", doc: "pass, fail or unknown." },
  { name: "unknown_reason", cel: "string", doc: "Why the outcome is unknown." },
  { name: "reward", cel: "double", doc: "The shaped reward that training used." },
  { name: "components", cel: "map<string, double>", doc: "Raw reward signals by name." },
  { name: "stop_reason", cel: "string", doc: "Why the rollout ended." },
  { name: "tokens", cel: "int", doc: "Tokens that the policy generated." },
  { name: "logprob_mean", cel: "double", doc: "Mean log-probability per generated token." },
  { name: "policy", cel: "string", doc: "Checkpoint that generated it." },
  { name: "harness", cel: "string", doc: "Commit of the harness." },
  { name: "seed", cel: "int", doc: "Seed of the run." },
  { name: "duration_ms", cel: "double", doc: "Wall time in milliseconds." },
  { name: "turns", cel: "list<Turn>", doc: "The exchanges, in order." },
  { name: "n_turns", cel: "int", doc: "Turns taken by the policy." },
  { name: "longest_tool_streak", cel: "int", doc: "Most calls of one tool in a row." },
  { name: "streak_tool", cel: "string", doc: "The tool of that streak." },
];

export const turnVariables: readonly Variable[] = [
  { name: "index", cel: "int", doc: "Position in the rollout, from 0." },
  { name: "role", cel: "string", doc: "system, user, assistant or tool." },
  { name: "text", cel: "string", doc: "What was said or returned." },
  { name: "tool", cel: "string", doc: "Tool called in this turn." },
  { name: "args", cel: "map<string, string>", doc: "Arguments of that call, as text." },
  { name: "ok", cel: "bool", doc: "Whether the call succeeded." },
  { name: "tokens", cel: "int", doc: "Tokens in this turn." },
  { name: "ms", cel: "double", doc: "Wall time in milliseconds." },
];

/** Functions over the turns of the rollout at hand. */
export const rolloutFunctions = [
  { signature: "tool_count(string): int", doc: "How many times the policy called the tool." },
  {
    signature: "first_turn(string): int",
    doc: "Index, among the policy's turns, of the first call of the tool; -1 if never.",
  },
] as const;

/** Which variables are in scope: those of a rollout, or also `turn`, for the expressions that pick evidence. */
export type Scope = "rollout" | "turn";

const environments = new Map<Scope, Environment>();

function environmentOf(scope: Scope): Environment {
  const known = environments.get(scope);
  if (known !== undefined) return known;
  const env = new Environment({
    unlistedVariablesAreDyn: false,
    limits: { maxAstNodes: 2000, maxDepth: 64 },
  });
  env.registerType({ name: "Turn", schema: Object.fromEntries(turnVariables.map((v) => [v.name, v.cel])) });
  for (const v of rolloutVariables) env.registerVariable(v.name, v.cel);
  if (scope === "turn") env.registerVariable("turn", "Turn");
  for (const f of rolloutFunctions) env.registerFunction(f.signature, () => 0n);
  environments.set(scope, env);
  return env;
}

export type CheckedExpression =
  { readonly ok: true; readonly ast: ASTNode } | { readonly ok: false; readonly problem: ExpressionProblem };

/** Parses and type-checks an expression that must be a condition. Never throws on bad input. */
export function checkCondition(text: string, scope: Scope): CheckedExpression {
  try {
    const parsed = environmentOf(scope).parse(text);
    const result = parsed.check();
    if (!result.valid) return { ok: false, problem: problemOf(result.error, text) };
    if (result.type !== "bool")
      return {
        ok: false,
        problem: {
          start: 0,
          end: text.length,
          message: `A condition is true or false; this gives ${result.type ?? "something else"}.`,
        },
      };
    return { ok: true, ast: parsed.ast };
  } catch (e) {
    return { ok: false, problem: problemOf(e, text) };
  }
}
