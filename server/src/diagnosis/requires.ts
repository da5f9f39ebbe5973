import type { ASTNode } from "@marcbachmann/cel-js";
import type { DiagnosticSpec } from "../../../shared/spec/diagnostic.ts";
import { checkCondition, turnVariables, type Scope } from "./language.ts";

/** Fields of the contract that a derived variable or function is computed from. */
const derived: Readonly<Record<string, readonly string[]>> = {
  n_turns: ["turns"],
  longest_tool_streak: ["turns.tool"],
  streak_tool: ["turns.tool"],
  tool_count: ["turns.tool"],
  first_turn: ["turns.tool"],
  unknown_reason: [],
};
/** What every rollout has, whatever its source. */
const always = new Set(["id", "run", "split", "step", "item", "group", "sample", "index", "role", "text"]);
const turnFields = new Set(turnVariables.map((v) => v.name));
const macros = new Set(["all", "exists", "exists_one", "filter", "map"]);

/** Fields of the contract without which a diagnostic says nothing, sorted; empty when it does not compile. */
export function requiredFields(spec: DiagnosticSpec): string[] {
  const fields = new Set<string>();
  const { when, evidence } = spec.label;
  collect(when, "rollout", fields);
  if (evidence !== undefined) collect(evidence, "turn", fields);
  return [...fields].sort();
}

function collect(text: string, scope: Scope, fields: Set<string>): void {
  const checked = checkCondition(text, scope);
  if (checked.ok) visit(checked.ast, new Set(scope === "turn" ? ["turn"] : []), fields);
}

function visit(node: ASTNode, turns: ReadonlySet<string>, fields: Set<string>): void {
  if (node.op === "id") add(node.args, turns, fields);
  else if (node.op === "." && node.args[0].op === "id" && turns.has(node.args[0].args)) {
    if (turnFields.has(node.args[1]) && !always.has(node.args[1])) fields.add(`turns.${node.args[1]}`);
  } else if (node.op === "call") {
    for (const field of derived[node.args[0]] ?? []) fields.add(field);
    for (const argument of node.args[1]) visit(argument, turns, fields);
  } else if (node.op === "rcall") {
    const [name, target, parameters] = node.args;
    visit(target, turns, fields);
    const [variable, ...rest] = parameters;
    const binds = macros.has(name) && variable?.op === "id";
    const inside = binds ? new Set([...turns, variable.args]) : turns;
    for (const argument of binds ? rest : parameters) visit(argument, inside, fields);
  } else for (const child of children(node)) visit(child, turns, fields);
}

function add(name: string, turns: ReadonlySet<string>, fields: Set<string>): void {
  if (turns.has(name) || always.has(name)) return;
  for (const field of derived[name] ?? [name]) fields.add(field);
}

function children(node: ASTNode): ASTNode[] {
  const { args } = node;
  const flat: readonly unknown[] = Array.isArray(args) ? args.flat(2) : [args];
  return flat.filter(isNode);
}

function isNode(value: unknown): value is ASTNode {
  return typeof value === "object" && value !== null && "op" in value && "args" in value;
}
